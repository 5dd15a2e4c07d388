import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboundModule } from '../../platform/outbound/index.js';
import { AcceptProviderCallbackHandler } from './commands/accept-provider-callback.handler.js';
import { DriverRegistry } from './driver-registry.js';
import { ProviderCallbacksController } from './http/provider-callbacks.controller.js';
import { RouteDirectory } from './persistence/route-directory.js';
import { RouteEntity } from './persistence/route.entity.js';
import { RouteConnections } from './route-connections.js';

/** Routes and drivers, for every process. */
@Module({
  imports: [TypeOrmModule.forFeature([RouteEntity]), OutboundModule],
  providers: [RouteDirectory, DriverRegistry],
  exports: [RouteDirectory, DriverRegistry],
})
export class RoutesModule {}

/** API: routes, and the carriers' HTTP callbacks. `ReceiptSink` comes from the campaigns module, which is global. */
@Module({
  imports: [CqrsModule, RoutesModule],
  controllers: [ProviderCallbacksController],
  providers: [AcceptProviderCallbackHandler],
  exports: [RoutesModule],
})
export class ProvidersModule {}

/** Worker: routes, and the connections to the carriers. */
@Module({
  imports: [RoutesModule],
  providers: [RouteConnections],
  exports: [RoutesModule, RouteConnections],
})
export class ProvidersWorkerModule {}
