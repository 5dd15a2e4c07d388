import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { CreditsModule } from '../credits/index.js';
import { AccessTokens, jwtOptions } from './authentication/access-tokens.js';
import { AdminGuard } from './authentication/admin.guard.js';
import { AuthenticationGuard } from './authentication/authentication.guard.js';
import { BodyUsernames } from './authentication/body-username.js';
import { Credentials } from './authentication/credentials.js';
import { OpenMisses } from './authentication/open-misses.js';
import { JwtStrategy } from './authentication/jwt.strategy.js';
import { ChangeAccountHandler } from './commands/change-account.handler.js';
import { CreateAccountHandler } from './commands/create-account.handler.js';
import { LogInHandler } from './commands/log-in.handler.js';
import { RegisterAccountHandler } from './commands/register-account.handler.js';
import { AuthenticationController } from './http/authentication.controller.js';
import { AccountDirectory } from './persistence/account-directory.js';
import { AccountRegistrar } from './persistence/account-registrar.js';
import { AccountStore } from './persistence/account-store.js';
import { AccountEntity } from './persistence/account.entity.js';
import { AuditEntryEntity } from './persistence/audit-entry.entity.js';
import { AuditLog } from './persistence/audit-log.js';
import { LoginIdentityEntity } from './persistence/login-identity.entity.js';
import { ManagedAccounts } from './persistence/managed-accounts.js';
import { NameCheck } from './persistence/name-check.js';
import { TeamEntity } from './persistence/team.entity.js';
import { FindAccountHandler } from './queries/find-account.handler.js';
import { ListAccountsHandler } from './queries/list-accounts.handler.js';
import { ListAuditHandler } from './queries/list-audit.handler.js';

const ENTITIES = [AccountEntity, LoginIdentityEntity, TeamEntity, AuditEntryEntity];
const STORES = [AccountStore, AccountDirectory, AccountRegistrar, ManagedAccounts, NameCheck, AuditLog];

/** What every process may need of accounts: reading them, making them, the audit log. No HTTP (for the worker). */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), CreditsModule],
  providers: STORES,
  exports: [...STORES, TypeOrmModule],
})
export class AccountDirectoryModule {}

/** Accounts in the API. A module with `@Authenticated`, `@Admin` or `@Open` routes imports it: the guards need it. */
@Module({
  imports: [
    CqrsModule,
    AccountDirectoryModule,
    PassportModule,
    JwtModule.registerAsync({ inject: [ENVIRONMENT], useFactory: jwtOptions }),
  ],
  controllers: [AuthenticationController],
  providers: [
    AccessTokens,
    JwtStrategy,
    Credentials,
    BodyUsernames,
    OpenMisses,
    AuthenticationGuard,
    AdminGuard,
    LogInHandler,
    RegisterAccountHandler,
    CreateAccountHandler,
    ChangeAccountHandler,
    FindAccountHandler,
    ListAccountsHandler,
    ListAuditHandler,
  ],
  exports: [AccountDirectoryModule, AccessTokens, Credentials, BodyUsernames, OpenMisses],
})
export class AccountsModule {}
