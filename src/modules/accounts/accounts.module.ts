import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { IdentityProvider } from '../../platform/outbound/index.js';
import { BodiesModule } from '../../platform/http/index.js';
import { CellDirectoryModule } from '../cell-directory/index.js';
import { CreditsModule } from '../credits/index.js';
import { NoticesModule } from '../notices/index.js';
import { RatesModule } from '../rates/index.js';
import { AccessTokens, jwtOptions, ApiKeys, AdminSessions } from './authentication/access-tokens.js';
import {
  Confirmations,
  RightsGuard,
  AuthenticationGuard,
  BodyUsernames,
  OpenMisses,
  JwtStrategy,
} from './authentication/guards.js';
import { Credentials, LoginFailures } from './authentication/credentials.js';
import {
  ChangeAssignedUserHandler,
  CreateAssignedUserHandler,
  RemoveAssignedUserHandler,
} from './access/users.commands.js';
import {
  ChangePasswordHandler,
  SetBalanceAlertsHandler,
  ChooseSecurityHandler,
  ChooseSettingsHandler,
} from './own-account.commands.js';
import { CreateApiKeyHandler, RevokeApiKeyHandler, RevokeManagedApiKeyHandler } from './access/api-keys.commands.js';
import { ChangeAccountHandler, CreateAccountHandler } from './managed-accounts.commands.js';
import { GrantedAccess } from './access/granted-access.js';
import { LogOutHandler, LogInHandler, RegisterAccountHandler } from './authentication/authentication.commands.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import {
  OwnAccountController,
  BalanceAlertsController,
  OwnNumbersController,
  SecurityController,
  OwnUsageController,
  OwnPasswordController,
} from './own-account.controller.js';
import { LinkDelivery } from './access/link-delivery.js';
import { RequestResetHandler, UseLinkHandler } from './access/link-uses.commands.js';
import { InvitePersonHandler, MakeLinkHandler, WithdrawLinkHandler } from './access/links.commands.js';
import { LinksController } from './access/links.controller.js';
import { OneTimeLinks } from './access/one-time-links.store.js';
import { SignOutHandler } from './access/sign-outs.commands.js';
import { UsersController } from './access/users.controller.js';
import { AuthenticationController } from './authentication/authentication.controller.js';
import { MadeKeys, MadePeople } from './access/made-access.js';
import { MadeThings, PasswordChanges } from './access/made-things.js';
import { AccountClosings } from './account-closings.js';
import { AccountDirectory, AccountSearch, AccountStore, StaffAccounts } from './accounts.store.js';
import { DirectoryFill, NameClaimSweeper } from './name-directory.js';
import { AccountRegistrar } from './registration.store.js';
import {
  AccountEntity,
  ApiKeyEntity,
  AssignedUserEntity,
  LoginAddressEntity,
  AuditEntryEntity,
  LoginIdentityEntity,
  NameClaimEntity,
  OneTimeLinkEntity,
  RevokedTokenEntity,
  SecurityEntryEntity,
  TeamEntity,
} from './tables.js';
import { ApiKeyStore, ApiKeyUses } from './access/api-keys.store.js';
import { AssignedUsers } from './access/users.store.js';
import { LoginAddresses, RevokedTokens } from './authentication/authentication.store.js';
import { LoginNames, NameCheck, NameClaims } from './names.store.js';
import { AuditLog, SecurityLog } from './logs/logs.store.js';
import { ManagedAccounts } from './managed-accounts.store.js';
import { AccountLogs, OwnLog } from './logs/own-log.store.js';
import {
  FindManagedAccountHandler,
  FindAccountHandler,
  CountOpenAccountsHandler,
  ListAccountsHandler,
} from './managed-accounts.queries.js';
import {
  ListManagedApiKeysHandler,
  ListManagedUsersHandler,
  ShowLinkHandler,
  ListAllMadeThingsHandler,
  ListMadeThingsHandler,
  FindAssignedUserHandler,
  ListApiKeysHandler,
  ListAssignedUsersHandler,
} from './access/access.queries.js';
import { ListOwnLogHandler, ListSecurityLogHandler, ListAuditHandler } from './logs/logs.queries.js';
import {
  EndAccountSessionHandler,
  EndAccountSessionsHandler,
  EndSessionHandler,
  EndSessionsHandler,
} from './sessions/sessions.commands.js';
import {
  AddPasskeyHandler,
  BeginTotpHandler,
  ConfirmSessionHandler,
  ConfirmTotpHandler,
  RemoveFactorHandler,
  RenewRecoveryCodesHandler,
  ShowPasskeyOptionsHandler,
} from './factors/factors.commands.js';
import { ResetSecondFactorHandler } from './factors/reset.commands.js';
import { BeginProvidedSessionHandler, LogInByProviderHandler, ProvidedRoles } from './oidc/oidc.commands.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcLoginEntity } from './oidc/tables.js';
import { Challenges } from './factors/challenges.store.js';
import { FactorChanges } from './factors/factor-changes.js';
import { ConfirmationController, SecondFactorController } from './factors/factors.controller.js';
import { ShowSecondFactorsHandler } from './factors/factors.queries.js';
import { FactorStore } from './factors/factors.store.js';
import { Passkeys } from './factors/passkeys.js';
import { SecondFactors } from './factors/second-factors.js';
import { LoginChallengeEntity, LoginFactorEntity, RecoveryCodeEntity } from './factors/tables.js';
import { NetworkNotices } from './sessions/network-notices.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { ListAccountSessionsHandler, ListSessionsHandler } from './sessions/sessions.queries.js';
import { SessionStore } from './sessions/sessions.store.js';
import { LoginSessionEntity } from './sessions/tables.js';
import { OwnLogController } from './logs/logs.controller.js';
import { FindOwnSecurityHandler, GetStorageHandler, FindOwnAccountHandler } from './own-account.queries.js';
import { AuditController, SecurityLogController } from './logs/staff-logs.controller.js';

const ENTITIES = [
  AccountEntity,
  LoginIdentityEntity,
  NameClaimEntity,
  LoginAddressEntity,
  RevokedTokenEntity,
  LoginSessionEntity,
  LoginFactorEntity,
  RecoveryCodeEntity,
  LoginChallengeEntity,
  OidcLoginEntity,
  SecurityEntryEntity,
  AssignedUserEntity,
  ApiKeyEntity,
  OneTimeLinkEntity,
  TeamEntity,
  AuditEntryEntity,
];
const STORES = [
  AccountClosings,
  AccountStore,
  AccountDirectory,
  AccountRegistrar,
  AccountSearch,
  ApiKeyStore,
  ApiKeyUses,
  AssignedUsers,
  LoginAddresses,
  LoginNames,
  ManagedAccounts,
  NameCheck,
  NameClaims,
  DirectoryFill,
  RevokedTokens,
  SessionStore,
  StaffAccounts,
  AuditLog,
];

/** Reading and creating accounts and the audit log, without HTTP, so that the worker can import it. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), CreditsModule, CellDirectoryModule],
  providers: STORES,
  exports: [...STORES, TypeOrmModule, CellDirectoryModule],
})
export class AccountDirectoryModule {}

/** Accounts in the API. Modules with `@Authenticated`, `@Admin` or `@Open` routes import it for its guards. */
@Module({
  imports: [
    CqrsModule,
    AccountDirectoryModule,
    CreditsModule,
    NoticesModule,
    RatesModule,
    PassportModule,
    BodiesModule,
    JwtModule.registerAsync({ inject: [ENVIRONMENT], useFactory: jwtOptions }),
  ],
  controllers: [
    AuthenticationController,
    OwnAccountController,
    OwnUsageController,
    BalanceAlertsController,
    OwnNumbersController,
    SecurityController,
    OwnPasswordController,
    ApiKeysController,
    LinksController,
    UsersController,
    SessionsController,
    SecondFactorController,
    ConfirmationController,
    OidcController,
    OwnLogController,
    AuditController,
    SecurityLogController,
  ],
  providers: [
    AccessTokens,
    AdminSessions,
    JwtStrategy,
    ApiKeys,
    SecurityLog,
    NameClaimSweeper,
    Credentials,
    LoginFailures,
    PasswordChanges,
    BodyUsernames,
    OpenMisses,
    AuthenticationGuard,
    RightsGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: RightsGuard },
    GrantedAccess,
    LogInHandler,
    LogOutHandler,
    RegisterAccountHandler,
    CreateAccountHandler,
    ChangeAccountHandler,
    ChangePasswordHandler,
    ChooseSettingsHandler,
    SetBalanceAlertsHandler,
    ChooseSecurityHandler,
    FindOwnSecurityHandler,
    GetStorageHandler,
    CountOpenAccountsHandler,
    CreateApiKeyHandler,
    RevokeApiKeyHandler,
    CreateAssignedUserHandler,
    ChangeAssignedUserHandler,
    RemoveAssignedUserHandler,
    FindAccountHandler,
    FindOwnAccountHandler,
    ListAccountsHandler,
    ListAuditHandler,
    ListSecurityLogHandler,
    ListApiKeysHandler,
    ListAssignedUsersHandler,
    FindAssignedUserHandler,
    FindManagedAccountHandler,
    ListManagedApiKeysHandler,
    ListManagedUsersHandler,
    IdentityProvider,
    LogInByProviderHandler,
    ProvidedRoles,
    BeginProvidedSessionHandler,
    FactorStore,
    FactorChanges,
    Challenges,
    Passkeys,
    SecondFactors,
    NetworkNotices,
    Confirmations,
    BeginTotpHandler,
    ConfirmTotpHandler,
    AddPasskeyHandler,
    RemoveFactorHandler,
    RenewRecoveryCodesHandler,
    ConfirmSessionHandler,
    ResetSecondFactorHandler,
    ShowSecondFactorsHandler,
    ShowPasskeyOptionsHandler,
    EndSessionHandler,
    EndSessionsHandler,
    EndAccountSessionHandler,
    EndAccountSessionsHandler,
    ListSessionsHandler,
    ListAccountSessionsHandler,
    ListOwnLogHandler,
    ListAllMadeThingsHandler,
    ListMadeThingsHandler,
    OwnLog,
    AccountLogs,
    MadeThings,
    MadeKeys,
    MadePeople,
    RevokeManagedApiKeyHandler,
    LinkDelivery,
    OneTimeLinks,
    InvitePersonHandler,
    MakeLinkHandler,
    WithdrawLinkHandler,
    SignOutHandler,
    UseLinkHandler,
    RequestResetHandler,
    ShowLinkHandler,
  ],
  exports: [
    AccountDirectoryModule,
    OwnLog,
    MadeThings,
    AccessTokens,
    AdminSessions,
    ApiKeys,
    Credentials,
    LoginFailures,
    PasswordChanges,
    BodyUsernames,
    OpenMisses,
    Confirmations,
  ],
})
export class AccountsModule {}
