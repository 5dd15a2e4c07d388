import { Module } from '@nestjs/common';
import { AccountDirectoryModule } from '../../modules/accounts/index.js';
import { LaneWake } from '../../modules/engine/index.js';
import { ALL_TABLES } from '../../modules/table-rules/index.js';
import { ConfigModule } from '../../platform/config/index.js';
import { ImpatientDatabaseModule } from '../../platform/database/index.js';
import { RelayNotifierModule } from '../../platform/queues/index.js';
import { SecurityModule } from '../../platform/security/index.js';
import { TablesModule } from '../../platform/tables/index.js';
import { OperatorActions } from './operator-actions.js';

/** The commands that work on the database itself. */
@Module({
  imports: [
    ConfigModule,
    ImpatientDatabaseModule,
    SecurityModule,
    AccountDirectoryModule,
    RelayNotifierModule,
    TablesModule.of(ALL_TABLES),
  ],
  providers: [LaneWake, OperatorActions],
})
export class OperatorModule {}
