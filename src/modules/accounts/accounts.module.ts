import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { BodiesModule } from '../../platform/http/index.js';
import { CellDirectoryModule } from '../cell-directory/index.js';
import { CreditsModule } from '../credits/index.js';
import { RatesModule } from '../rates/index.js';
import { AccessTokens, jwtOptions } from './authentication/access-tokens.js';
import { ApiKeys } from './authentication/api-keys.js';
import { AdminSessions } from './authentication/admin-sessions.js';
import { AdminGuard } from './authentication/admin.guard.js';
import { AuthenticationGuard } from './authentication/authentication.guard.js';
import { BodyUsernames } from './authentication/body-username.js';
import { Credentials } from './authentication/credentials.js';
import { OpenMisses } from './authentication/open-misses.js';
import { JwtStrategy } from './authentication/jwt.strategy.js';
import { ChangeAssignedUserHandler } from './commands/change-assigned-user.command.js';
import { ChangePasswordHandler } from './commands/change-password.command.js';
import { SetBalanceAlertsHandler } from './commands/set-balance-alerts.command.js';
import { ChooseSecurityHandler } from './commands/choose-security.command.js';
import { SetNumberCheckHandler } from './commands/set-number-check.command.js';
import { CreateApiKeyHandler } from './commands/create-api-key.command.js';
import { CreateAssignedUserHandler } from './commands/create-assigned-user.command.js';
import { RemoveAssignedUserHandler } from './commands/remove-assigned-user.command.js';
import { RevokeApiKeyHandler } from './commands/revoke-api-key.command.js';
import { ChangeAccountHandler } from './commands/change-account.command.js';
import { CreateAccountHandler } from './commands/create-account.command.js';
import { GrantedAccess } from './commands/granted-access.js';
import { LogOutHandler } from './commands/log-out.command.js';
import { LogInHandler } from './commands/log-in.command.js';
import { RegisterAccountHandler } from './commands/register-account.command.js';
import { ApiKeysController } from './http/api-keys.controller.js';
import { OwnAccountController } from './http/own-account.controller.js';
import { BalanceAlertsController } from './http/balance-alerts.controller.js';
import { NumberCheckController } from './http/number-check.controller.js';
import { SecurityController } from './http/security.controller.js';
import { OwnUsageController } from './http/own-usage.controller.js';
import { OwnPasswordController } from './http/own-password.controller.js';
import { UsersController } from './http/users.controller.js';
import { AuthenticationController } from './http/authentication.controller.js';
import { MadeThings } from './made-things.js';
import { AccountClosings } from './account-closings.js';
import { AccountDirectory } from './persistence/account-directory.js';
import { DirectoryFill } from './persistence/directory-fill.js';
import { AccountRegistrar } from './persistence/account-registrar.js';
import { AccountSearch } from './persistence/account-search.js';
import { AccountStore } from './persistence/account-store.js';
import { AccountEntity } from './persistence/account.entity.js';
import { ApiKeyEntity } from './persistence/api-key.entity.js';
import { ApiKeyStore } from './persistence/api-key-store.js';
import { AssignedUserEntity } from './persistence/assigned-user.entity.js';
import { AssignedUsers } from './persistence/assigned-users.js';
import { LoginAddressEntity } from './persistence/login-address.entity.js';
import { LoginAddresses } from './persistence/login-addresses.js';
import { LoginNames } from './persistence/login-names.js';
import { AuditEntryEntity } from './persistence/audit-entry.entity.js';
import { AuditLog } from './persistence/audit-log.js';
import { LoginIdentityEntity } from './persistence/login-identity.entity.js';
import { ManagedAccounts } from './persistence/managed-accounts.js';
import { NameCheck } from './persistence/name-check.js';
import { NameClaimEntity } from './persistence/name-claim.entity.js';
import { NameClaimSweeper } from './persistence/name-claim-sweeper.js';
import { NameClaims } from './persistence/name-claims.js';
import { RevokedTokenEntity } from './persistence/revoked-token.entity.js';
import { StaffAccounts } from './persistence/staff-accounts.js';
import { RevokedTokens } from './persistence/revoked-tokens.js';
import { SecurityEntryEntity } from './persistence/security-entry.entity.js';
import { SecurityLog } from './persistence/security-log.js';
import { TeamEntity } from './persistence/team.entity.js';
import { AccountLogs } from './persistence/account-logs.js';
import { OwnLog } from './persistence/own-log.js';
import { FindManagedAccountHandler } from './queries/find-managed-account.query.js';
import { ListManagedApiKeysHandler } from './queries/list-managed-api-keys.query.js';
import { ListManagedUsersHandler } from './queries/list-managed-users.query.js';
import { ListAllMadeThingsHandler } from './queries/list-all-made-things.query.js';
import { ListMadeThingsHandler } from './queries/list-made-things.query.js';
import { ListOwnLogHandler } from './queries/list-own-log.query.js';
import { RevokeManagedApiKeyHandler } from './commands/revoke-managed-api-key.command.js';
import { OwnLogController } from './http/own-log.controller.js';
import { FindAssignedUserHandler } from './queries/find-assigned-user.query.js';
import { ListApiKeysHandler } from './queries/list-api-keys.query.js';
import { ListAssignedUsersHandler } from './queries/list-assigned-users.query.js';
import { FindAccountHandler } from './queries/find-account.query.js';
import { CountOpenAccountsHandler } from './queries/count-open-accounts.query.js';
import { FindOwnSecurityHandler } from './queries/find-own-security.query.js';
import { GetStorageHandler } from './queries/get-storage.query.js';
import { FindOwnAccountHandler } from './queries/find-own-account.query.js';
import { ListAccountsHandler } from './queries/list-accounts.query.js';
import { ListSecurityLogHandler } from './queries/list-security-log.query.js';
import { ListAuditHandler } from './queries/list-audit.query.js';

const ENTITIES = [
  AccountEntity,
  LoginIdentityEntity,
  NameClaimEntity,
  LoginAddressEntity,
  RevokedTokenEntity,
  SecurityEntryEntity,
  AssignedUserEntity,
  ApiKeyEntity,
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
  AssignedUsers,
  LoginAddresses,
  LoginNames,
  ManagedAccounts,
  NameCheck,
  NameClaims,
  DirectoryFill,
  RevokedTokens,
  StaffAccounts,
  AuditLog,
];

/** What every process may need of accounts: reading them, making them, the audit log. No HTTP (for the worker). */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), CreditsModule, CellDirectoryModule],
  providers: STORES,
  exports: [...STORES, TypeOrmModule, CellDirectoryModule],
})
export class AccountDirectoryModule {}

/** Accounts in the API. A module with `@Authenticated`, `@Admin` or `@Open` routes imports it: the guards need it. */
@Module({
  imports: [
    CqrsModule,
    AccountDirectoryModule,
    CreditsModule,
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
    NumberCheckController,
    SecurityController,
    OwnPasswordController,
    ApiKeysController,
    UsersController,
    OwnLogController,
  ],
  providers: [
    AccessTokens,
    AdminSessions,
    JwtStrategy,
    ApiKeys,
    SecurityLog,
    NameClaimSweeper,
    Credentials,
    BodyUsernames,
    OpenMisses,
    AuthenticationGuard,
    AdminGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: AdminGuard },
    GrantedAccess,
    LogInHandler,
    LogOutHandler,
    RegisterAccountHandler,
    CreateAccountHandler,
    ChangeAccountHandler,
    ChangePasswordHandler,
    SetNumberCheckHandler,
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
    ListOwnLogHandler,
    ListAllMadeThingsHandler,
    ListMadeThingsHandler,
    OwnLog,
    AccountLogs,
    MadeThings,
    RevokeManagedApiKeyHandler,
  ],
  exports: [
    AccountDirectoryModule,
    OwnLog,
    MadeThings,
    AccessTokens,
    AdminSessions,
    ApiKeys,
    Credentials,
    BodyUsernames,
    OpenMisses,
  ],
})
export class AccountsModule {}
