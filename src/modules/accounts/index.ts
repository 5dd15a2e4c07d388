export { type AccountClosing, AccountClosings, type ClosingListener } from './account-closings.js';
export { AccountDirectoryModule, AccountsModule } from './accounts.module.js';
export {
  type Actor,
  type AuthenticatedRequest,
  CurrentActor,
  Admin,
  Authenticated,
  Confirmed,
  ForLimitedSessions,
  LIMITED_METADATA,
  Needs,
  NEEDS_METADATA,
  neededRights,
  Open,
  PathUsername,
  TestKeys,
  TestQuery,
  wantsTests,
  TEST_KEYS_METADATA,
  ADMIN_METADATA,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  OPEN_METADATA,
} from './authentication/decorators.js';
export { AccessTokens, AdminSessions } from './authentication/access-tokens.js';
export { Credentials, proofErrors, proofOf } from './authentication/credentials.js';
export { Confirmations, OpenMisses } from './authentication/guards.js';
export { ResetSecondFactorCommand } from './factors/reset.commands.js';
export type { AccountChanges } from './account-changes.js';
export { ChangeAccountCommand, CreateAccountCommand } from './managed-accounts.commands.js';
export { RevokeManagedApiKeyCommand } from './access/api-keys.commands.js';
export {
  type Account,
  isClosedToOthers,
  NUMBER_CHECKS,
  roleOf,
  USER_TYPES,
  createdBy,
  isTesting,
  loginOf,
  PERMISSIONS,
  type Sender,
  senderOf,
} from './domain/account.js';
export {
  assertMaySend,
  assertRight,
  hasRight,
  type PersonRole,
  PERSON_ROLES,
  type Right,
  ROLE_RIGHTS,
  type Scope,
  SCOPES,
  SENDS,
  sendRights,
} from './domain/rights.js';
export { apiKeyDigest, isApiKey, isApiKeyDigest } from './domain/tokens.js';
export {
  GUARD_KINDS,
  GUARD_PERIODS,
  type GuardKind,
  type GuardLimits,
  type GuardPeriod,
  type GuardTerms,
  OPEN_TERMS,
  strictTerms,
} from './domain/guard-terms.js';
export { looksLikeEmail, normalEmail } from './domain/identity.js';
export {
  CountOpenAccountsQuery,
  FindAccountQuery,
  FindManagedAccountQuery,
  ListAccountsQuery,
} from './managed-accounts.queries.js';
export { accountErrors } from './domain/account.errors.js';
export { assertMayChange, assertOfHouse, RELEASABLE_FIELDS } from './domain/account-policy.js';
export {
  type Gone,
  isBeyond,
  isMadeBy,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
} from './access/made-things.js';
export { sendEntry } from './logs/logs.dto.js';
export { OwnLog } from './logs/own-log.store.js';
export { passwordErrors, passwordFault } from './domain/password-rules.js';
export { type NewAccount } from './domain/registration.js';
export { type ApiKeyAnswerData, ApiKeyPageAnswer } from './access/api-keys.dto.js';
export { type UserAnswerData, UserPageAnswer } from './access/users.dto.js';
export { InvitePersonCommand, MakeLinkCommand } from './access/links.commands.js';
export { invitationOf, InvitedUserAnswer, InviteUserRequest, LinkAnswer, MakeLinkRequest } from './access/links.dto.js';
export { INVITE_ERRORS, LINK_ERRORS } from './self-service.errors.js';
export { ManagedAccountAnswer } from './managed-accounts.dto.js';
export {
  AllMadeThingsAnswer,
  MadeThingsAnswer,
  readRevoke,
  REVOKE_CREATED,
  RevokeQuery,
} from './access/made-things.dto.js';
export {
  ListAllMadeThingsQuery,
  ListMadeThingsQuery,
  ListManagedApiKeysQuery,
  ListManagedUsersQuery,
} from './access/access.queries.js';
export { EndAccountSessionCommand, EndAccountSessionsCommand } from './sessions/sessions.commands.js';
export {
  type AccountSessionData,
  AccountSessionPageAnswer,
  readActive,
  SESSION_STATE_ERRORS,
  SessionStateQuery,
} from './sessions/sessions.dto.js';
export { ListAccountSessionsQuery } from './sessions/sessions.queries.js';
export { FactorStore } from './factors/factors.store.js';
export { passwordChange } from './domain/tokens.js';
export { SessionStore } from './sessions/sessions.store.js';
export { AccountDirectory, AccountSearch, AccountStore, StaffAccounts } from './accounts.store.js';
export { AccountRegistrar } from './registration.store.js';
export { DirectoryFill, type DirectoryFilled, NameClaimSweeper } from './name-directory.js';
export { NameClaims, LoginNames, usernameOf } from './names.store.js';
export { AuditLog, withContent } from './logs/logs.store.js';
export { ManagedAccounts } from './managed-accounts.store.js';
export { accountTables } from './tables.js';
