export { creditErrors } from './credits.errors.js';
export {
  CreditProofs,
  GetBalanceAlertsQuery,
  GetBalancesQuery,
  GetLedgerOpeningQuery,
  GetUsageQuery,
  ListLedgerQuery,
  ProveCreditsQuery,
} from './credits.queries.js';
export { CreditsModule, CreditsWorkerModule } from './credits.module.js';
export { BALANCES, type BalanceName, type Purse, purseKey, type UsageShare, UsageTally } from './balances.js';
export {
  AdjustedCreditsAnswer,
  BalancesAnswer,
  type CreditProofAnswer,
  CreditProofsAnswer,
  LedgerPageAnswer,
  BALANCE_ALERT_ERRORS,
  BALANCE_ALERTS_BODY,
  BalanceAlertsAnswer,
  readThresholds,
  SavedBalanceAlertsAnswer,
  readBalance,
} from './credits.dto.js';
export { readUsage, USAGE_ERRORS, wantsCsv, USAGE_CSV, usageCsv, UsagePageAnswer, UsageRoute } from './usage.dto.js';
export { STAFF_USAGE_GROUPS, USAGE_GROUPS } from './usage-selection.js';
export { CreditBook, isLow, isOverdrawn, type Movement } from './credit-book.store.js';
export { BalanceAlerts, type BalanceThresholds } from './balance-alerts.store.js';
export { ResellerCredits, type ResellerMove } from './reseller-credits.store.js';
export { creditTables } from './tables.js';
