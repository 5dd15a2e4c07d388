import { Module } from '@nestjs/common';
import { OutboundClient } from '../../platform/outbound/index.js';
import { CarrierLedger } from './carrier/carrier-ledger.js';
import { Faults } from './carrier/faults.js';
import { CallbackSender } from './http/callback-sender.js';
import { FaultsController } from './http/faults.controller.js';
import { GatewayController } from './http/gateway.controller.js';
import { HttpGateway } from './http/http-gateway.js';
import { LedgerController } from './http/ledger.controller.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';

/** The carriers of development and tests: an SMSC and an HTTP gateway with one ledger. */
@Module({
  controllers: [GatewayController, LedgerController, FaultsController],
  providers: [
    CarrierLedger,
    Faults,
    SmppCarrier,
    HttpGateway,
    CallbackSender,
    { provide: OutboundClient, useFactory: () => new OutboundClient({ OUTBOUND_ALLOW: '' }) },
  ],
})
export class SandboxModule {}
