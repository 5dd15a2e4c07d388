export { CreditsModule } from './credits.module.js';
export { BALANCES, type BalanceName, isBalanceName, type LedgerKind } from './domain/balances.js';
export { AdjustedCreditsAnswer, BalancesAnswer, CreditProofsAnswer, LedgerPageAnswer } from './http/credit.answers.js';
export { BALANCE_ROW, readBalance } from './http/ledger-selection.js';
export { CreditBook } from './persistence/credit-book.js';
export { ResellerCredits, type ResellerMove } from './persistence/reseller-credits.js';
export { type BalanceView, GetBalancesQuery } from './queries/get-balances.query.js';
export { type LedgerEntryView, ListLedgerQuery } from './queries/list-ledger.query.js';
export { type CreditProof, ProveCreditsQuery } from './queries/prove-credits.query.js';
