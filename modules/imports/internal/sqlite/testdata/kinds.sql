pragma page_size=512;
create table kinds (id integer primary key, name text, value);
insert into kinds values
 (-9223372036854775808,'least row',0),(-1,'one',1),(0,'minus one',-1),(1,'one byte',127),(2,'one byte below zero',-128),
 (3,'two bytes',32767),(4,'two bytes below zero',-32768),(5,'three bytes',8388607),(6,'three bytes below zero',-8388608),
 (7,'four bytes',2147483647),(8,'six bytes',140737488355327),(9,'six bytes below zero',-140737488355328),
 (10,'eight bytes',9223372036854775807),(11,'eight bytes below zero',-9223372036854775808),(12,'real',1.5),
 (13,'text','Анна 🇩🇪'),(14,'empty text',''),(15,'blob',x'00ff10'),(16,'empty blob',x''),(17,'null',null),
 (18,'broken text',cast(x'61ff62' as text)),(9223372036854775807,'last row',2.0);
