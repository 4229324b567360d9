-- Answers to authorities that ask a node over HTTP, while their orders are on the way.
create table certificate_answers (
    order_id uuid not null references certificate_orders (id) on delete cascade,
    node_id  uuid not null,
    host     text not null,
    token    text not null,
    answer   text not null,
    primary key (order_id, token)
);

create index certificate_answers_node on certificate_answers (node_id);
