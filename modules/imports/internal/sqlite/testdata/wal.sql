pragma journal_mode=wal;
create table pages (id integer primary key, name text);
insert into pages values (1,'a'),(2,printf('%.*c', 70000, 'b')),(3,'c');
