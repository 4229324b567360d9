pragma page_size=512; pragma encoding='UTF-16le';
create table texts (id integer primary key, name text, "столбец" text);
insert into texts values (1,'Анна','🇩🇪 Germany'),(2,'','b'),(3,null,cast(x'ff' as text));
