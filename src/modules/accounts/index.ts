export { type AccountClosing, AccountClosings, type ClosingListener } from './account-closings.js';
export { AccountDirectoryModule, AccountsModule } from './accounts.module.js';
export { type Actor, type AuthenticatedRequest, CurrentActor } from './authentication/actor.js';
export { AccessTokens } from './authentication/access-tokens.js';
export { AdminSessions } from './authentication/admin-sessions.js';
export { Credentials } from './authentication/credentials.js';
export { Admin, Authenticated, Open, PathUsername } from './authentication/decorators.js';
export { OpenMisses } from './authentication/open-misses.js';
export {
  ADMIN_METADATA,
  type AdminRules,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  OPEN_METADATA,
  PATH_USERNAME_METADATA,
} from './authentication/rules.js';
export type { AccountChanges } from './commands/account-changes.js';
export { ChangeAccountCommand } from './commands/change-account.command.js';
export { RevokeManagedApiKeyCommand } from './commands/revoke-managed-api-key.command.js';
export { CreateAccountCommand } from './commands/create-account.command.js';
export { type AssignedUser } from './domain/assigned-user.js';
export {
  type Account,
  isClosedToOthers,
  NUMBER_CHECKS,
  type NumberCheckMode,
  type Role,
  roleOf,
  USER_TYPES,
} from './domain/account.js';
export { apiKeyDigest, isApiKey, isApiKeyDigest } from './domain/api-key.js';
export { looksLikeEmail, normalEmail } from './domain/identity.js';
export { CountOpenAccountsQuery, type OpenAccounts } from './queries/count-open-accounts.query.js';
export { accountErrors } from './domain/account.errors.js';
export { assertMayChange } from './domain/account-policy.js';
export { type Gone, isMadeBy, type MadeThing } from './domain/made-thing.js';
export { type MadeThingListener, MadeThings } from './made-things.js';
export { sendEntry } from './http/log-entry.dto.js';
export { type LogSource, OwnLog } from './persistence/own-log.js';
export { createdBy } from './domain/maker.js';
export { RELEASABLE_FIELDS } from './domain/staff-settings.js';
export { passwordErrors, passwordFault } from './domain/password-rules.js';
export { type Permission, PERMISSIONS, type Permissions } from './domain/permissions.js';
export { type NewAccount, STARTING_CREDITS } from './domain/registration.js';
export { type ApiKeyAnswerData, ApiKeyPageAnswer } from './http/api-key.dto.js';
export { type UserAnswerData, UserPageAnswer } from './http/user.dto.js';
export { AuditEntryAnswer, AuditPageAnswer } from './http/audit-entry.dto.js';
export { ManagedAccountAnswer } from './http/managed-account.dto.js';
export {
  AllMadeThingsAnswer,
  MadeThingsAnswer,
  readRevoke,
  REVOKE_CREATED,
  RevokeQuery,
} from './http/made-thing.dto.js';
export { ListAllMadeThingsQuery } from './queries/list-all-made-things.query.js';
export { ListMadeThingsQuery } from './queries/list-made-things.query.js';
export { proofErrors, proofOf } from './http/password-proof.js';
export { SecurityEntryAnswer, SecurityPageAnswer } from './http/security-entry.dto.js';
export { AccountDirectory } from './persistence/account-directory.js';
export { AccountRegistrar } from './persistence/account-registrar.js';
export { AccountSearch } from './persistence/account-search.js';
export { DirectoryFill, type DirectoryFilled } from './persistence/directory-fill.js';
export { NameClaims } from './persistence/name-claims.js';
export { NameClaimSweeper } from './persistence/name-claim-sweeper.js';
export { LoginNames, usernameOf } from './persistence/login-names.js';
export { AuditLog, withContent } from './persistence/audit-log.js';
export { ManagedAccounts } from './persistence/managed-accounts.js';
export { FindAccountQuery } from './queries/find-account.query.js';
export { FindManagedAccountQuery } from './queries/find-managed-account.query.js';
export { ListManagedApiKeysQuery } from './queries/list-managed-api-keys.query.js';
export { ListManagedUsersQuery } from './queries/list-managed-users.query.js';
export { ListAccountsQuery } from './queries/list-accounts.query.js';
export { ListAuditQuery } from './queries/list-audit.query.js';
export { ListSecurityLogQuery } from './queries/list-security-log.query.js';
export { StaffAccounts } from './persistence/staff-accounts.js';
export { accountTables } from './persistence/table-rules.js';
