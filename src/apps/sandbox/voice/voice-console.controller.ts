import { BadRequestException, Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { type Callee, Callees, calleeSchema } from './callees.js';

/** What tests say of the people who are called. */
@Controller('voice')
export class VoiceConsoleController {
  constructor(private readonly callees: Callees) {}

  /** `{ to, digits, forwards, outcomes, speaks }`: holds for every call to this number from now on. */
  @Post('script')
  @HttpCode(200)
  script(@Body() body: unknown): Callee {
    const parsed = calleeSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    this.callees.set(parsed.data);
    return parsed.data;
  }
}
