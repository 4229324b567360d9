pragma page_size=512;
create table added (id integer primary key, name text);
insert into added values (1,'old');
alter table added add column state text default 'on';
insert into added values (2,'new','off');
create table `separate` (`id` integer,`name` text,PRIMARY KEY (`id`));
insert into separate(name) values ('a'),('b');
create table "odd (name), here" ("a,b" text, [c d] int, 'e' text, `f)` text, g decimal(10,2) default 1.5, h text check (h in ('x','y')), constraint k unique("a,b"), check (g > 0));
insert into "odd (name), here" values ('1',2,'3','4',5.5,'x');
create table spaced (
	id	integer
	  primary	key, -- the number, of a row
	/* a name, of
	   somebody (else) */ name	text not null,
	total int,
	unique
	  (name)
);
insert into spaced values (7,'seven',77);
create table copied as select 1 as one, 'two' as two;
create table generated (a int, b int generated always as (a*2) virtual, c int as (a*3) stored, d text);
insert into generated(a,d) values (2,'d');
create table texts_as_keys (id text primary key, value text);
insert into texts_as_keys values ('k','v');
create table without (k text primary key, v text) without rowid;
insert into without values ('k','v');
create view seen as select * from added;
create index names on added(name);
