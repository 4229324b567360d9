pragma page_size=512;
create table gone (a text);
with recursive n(i) as (select 1 union all select i+1 from n where i<300) insert into gone select printf('%.*c', 80, 'z') from n;
create table deep (id integer primary key, name text, half real);
with recursive n(i) as (select 1 union all select i+1 from n where i<3000) insert into deep select i, 'row '||i, i/2.0 from n;
drop table gone;
delete from deep where id%3=0;
create table empty (id integer primary key, name text);
