import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { WebApplicationController } from './http/web-application.controller.js';
import { WebFiles } from './web-files.js';

/** The web application, as browsers get it. */
@Module({
  imports: [AccountsModule],
  controllers: [WebApplicationController],
  providers: [WebFiles],
})
export class WebApplicationModule {}
