export { ManagedAccountsModule } from './managed-accounts.module.js';
export { ACCOUNT_ERRORS } from './managed-accounts.errors.js';
export { CLOSED_BY_STAFF } from './managed-accounts.errors.js';
