-- Attempts of the last hour are counted by account: who knows a password opens as many challenges as he likes.
create index challenges_attempts on challenges (account_id, expires_at) where attempts > 0;
