pragma page_size=512;
create table overflow (id integer primary key, value text);
with recursive n(i) as (select 465 union all select i+1 from n where i<560) insert into overflow select i, printf('%.*c', i, 'x') from n;
with recursive n(i) as (select 970 union all select i+1 from n where i<1060) insert into overflow select i, printf('%.*c', i, 'x') from n;
insert into overflow values (50000, printf('%.*c', 50000, 'y'));
