import { BadRequestException, Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { Faults, type FaultSettings, faultsSchema } from '../carrier/faults.js';
import { SmppCarrier } from '../smpp/smpp-carrier.js';

const requestSchema = faultsSchema.extend({
  /** cuts every SMPP connection now */
  dropConnections: z.literal(true).optional(),
});

/** Bad days for carriers, on demand. */
@Controller('faults')
export class FaultsController {
  constructor(
    private readonly faults: Faults,
    private readonly carrier: SmppCarrier,
  ) {}

  @Get()
  show(): FaultSettings {
    return this.faults.current;
  }

  /** Changes the named behaviours; the others stay. */
  @Post()
  @HttpCode(200)
  change(@Body() body: unknown): FaultSettings {
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    const { dropConnections, ...changes } = parsed.data;
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const settings = this.faults.change(Object.fromEntries(given));
    if (dropConnections) this.carrier.dropAll();
    return settings;
  }

  /** A good day again. */
  @Delete()
  clear(): FaultSettings {
    return this.faults.clear();
  }
}
