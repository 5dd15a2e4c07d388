import { Module } from '@nestjs/common';
import { AccountDirectoryModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { ScheduledSends } from './dispatch/scheduled-sends.js';
import { SessionSendingModule } from './session-messages.module.js';

/** Session messages in the worker: what is scheduled leaves, and early receipts find their message. */
@Module({
  imports: [AccountDirectoryModule, RoutesModule, SessionSendingModule],
  providers: [ScheduledSends],
})
export class SessionMessagesWorkerModule {}
