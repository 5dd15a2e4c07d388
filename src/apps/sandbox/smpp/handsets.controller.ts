import { BadRequestException, Body, Controller, HttpCode, NotFoundException, Post } from '@nestjs/common';
import { z } from 'zod';
import { SmppCarrier } from './smpp-carrier.js';

const inboundSchema = z.object({
  system_id: z.string().min(1),
  from: z.string().regex(/^\+?[0-9]{1,20}$/),
  /** the number or name that the handset answers */
  to: z.string().max(20).default('sandbox'),
  text: z.string().min(1).max(70),
});

/** What the owners of the handsets do. */
@Controller('smpp')
export class HandsetsController {
  constructor(private readonly carrier: SmppCarrier) {}

  /** `{ system_id, from, to, text }`: a handset writes back; it goes out as a deliver_sm over a session of that system id. */
  @Post('inbound')
  @HttpCode(200)
  write(@Body() body: unknown): { taken: true } {
    const parsed = inboundSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    const { system_id: systemId, ...text } = parsed.data;
    if (!this.carrier.writeBack(systemId, text)) throw new NotFoundException('No session of this system_id is bound');
    return { taken: true };
  }
}
