import { Module } from '@nestjs/common';
import { QueueDashboard } from '../../platform/queues/index.js';
import { AccountsModule } from '../accounts/index.js';
import { PageController } from './http/page.controller.js';
import { PageFiles } from './page/page-files.js';

/** The admin page and the queue dashboard, in a browser. */
@Module({
  imports: [AccountsModule],
  controllers: [PageController],
  providers: [PageFiles, QueueDashboard],
})
export class AdminPageModule {}
