import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { EngineModule } from '../../engine/index.js';
import { RoutesModule } from '../../providers/index.js';
import { UsedRoutes } from '../broadcasts/index.js';
import { SenderIdsModule } from '../../sender-ids/index.js';
import { SendSmsBroadcastHandler } from './commands/send-sms-broadcast.command.js';
import { ChosenIds } from './http/chosen-ids.js';
import { SmsBroadcastController } from './http/sms-broadcast.controller.js';
import { SmsGetController } from './http/sms-get.controller.js';
import { VerifiedCredentials } from './http/verified-credentials.js';

/** SMS in the API: both sending routes. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, RoutesModule, SenderIdsModule],
  providers: [UsedRoutes, SendSmsBroadcastHandler, VerifiedCredentials, ChosenIds],
  controllers: [SmsBroadcastController, SmsGetController],
})
export class SmsModule {}
