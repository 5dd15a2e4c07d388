import { Module } from '@nestjs/common';
import { QueueDashboard } from '../../platform/queues/index.js';
import { AccountsModule } from '../accounts/index.js';
import { PageController } from './http/page.controller.js';

/** The queue dashboard, and the former addresses of the staff page. */
@Module({
  imports: [AccountsModule],
  controllers: [PageController],
  providers: [QueueDashboard],
})
export class AdminPageModule {}
