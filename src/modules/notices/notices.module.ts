import { Module } from '@nestjs/common';
import { CustomerEventsModule } from '../customer-events/index.js';
import { AccountNotices } from './account-notices.js';

/** Security notices, for the modules in which something happens to a login. */
@Module({ imports: [CustomerEventsModule], providers: [AccountNotices], exports: [AccountNotices] })
export class NoticesModule {}
