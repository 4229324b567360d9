-- Which apply the last order was made for: an apply orders a certificate once.
alter table certificates add column ordered_for text not null default '';
