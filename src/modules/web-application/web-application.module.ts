import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { WebApplicationController } from './web-application.controller.js';
import { WebFiles } from './web-files.js';
import { PageController } from './staff-page.controller.js';
import { QueueDashboard } from '../../platform/queues/index.js';

@Module({
  imports: [AccountsModule],
  controllers: [PageController, WebApplicationController],
  providers: [WebFiles, QueueDashboard],
})
export class WebApplicationModule {}
