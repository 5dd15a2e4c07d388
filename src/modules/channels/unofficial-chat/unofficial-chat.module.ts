import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { EngineModule } from '../../engine/index.js';
import { RoutesModule } from '../../providers/index.js';
import { UsedRoutes } from '../broadcasts/index.js';
import { SendUnofficialBroadcastHandler } from './unofficial-broadcast.commands.js';
import { UnofficialBroadcastController } from './unofficial-broadcast.controller.js';

@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, RoutesModule],
  providers: [UsedRoutes, SendUnofficialBroadcastHandler],
  controllers: [UnofficialBroadcastController],
})
export class UnofficialChatModule {}
