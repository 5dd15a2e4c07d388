export { creditErrors } from './credits.errors.js';
export { CreditProofs } from './credit-proofs.js';
export { CreditsModule, CreditsWorkerModule } from './credits.module.js';
export { BALANCES, type BalanceName, isBalanceName, type LedgerKind } from './domain/balances.js';
export { type Purse, purseKey } from './domain/purse.js';
export {
  AdjustedCreditsAnswer,
  BalancesAnswer,
  type CreditProofAnswer,
  CreditProofsAnswer,
  type LedgerEntryAnswer,
  type LedgerOpeningAnswer,
  LedgerPageAnswer,
} from './http/credit.dto.js';
export { readUsage, USAGE_ERRORS, wantsCsv } from './http/usage-selection.js';
export { STAFF_USAGE_GROUPS, USAGE_GROUPS, type UsageSelection } from './domain/usage-selection.js';
export { USAGE_CSV, usageCsv, UsagePageAnswer, UsageRoute } from './http/usage.dto.js';
export {
  BALANCE_ALERT_ERRORS,
  BALANCE_ALERTS_BODY,
  BalanceAlertsAnswer,
  readThresholds,
  SavedBalanceAlertsAnswer,
} from './http/balance-alert.dto.js';
export { readBalance } from './http/ledger-selection.js';
export type { Usage, UsageShare } from './domain/usage.js';
export { type Charge, CreditBook, type Repayment } from './persistence/credit-book.js';
export { BalanceAlerts, type BalanceThresholds } from './persistence/balance-alerts.js';
export { ResellerCredits, type ResellerMove } from './persistence/reseller-credits.js';
export { GetBalanceAlertsQuery } from './queries/get-balance-alerts.query.js';
export { GetBalancesQuery } from './queries/get-balances.query.js';
export { GetLedgerOpeningQuery } from './queries/get-ledger-opening.query.js';
export { GetUsageQuery } from './queries/get-usage.query.js';
export { ListLedgerQuery } from './queries/list-ledger.query.js';
export { ProveCreditsQuery } from './queries/prove-credits.query.js';
export { UsageTally } from './usage-tally.js';
export { creditTables } from './persistence/table-rules.js';
