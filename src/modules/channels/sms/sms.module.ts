import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { EngineModule } from '../../engine/index.js';
import { RoutesModule } from '../../providers/index.js';
import { UsedRoutes } from '../broadcasts/index.js';
import { SenderIdsModule } from '../../sender-ids/index.js';
import { SendSmsBroadcastHandler } from './sms-broadcast.commands.js';
import { ChosenIds, VerifiedCredentials } from './sms-callers.js';
import { SmsBroadcastController, SmsGetController } from './sms-broadcast.controller.js';

/** SMS in the API: both sending endpoints. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, RoutesModule, SenderIdsModule],
  providers: [UsedRoutes, SendSmsBroadcastHandler, VerifiedCredentials, ChosenIds],
  controllers: [SmsBroadcastController, SmsGetController],
})
export class SmsModule {}
