import {
  BadGatewayException,
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { z } from 'zod';
import { ChatAccountBook, chatAccountSchema } from './chat-accounts.js';
import { ChatInbound, inboundSchema, preferenceSchema } from './chat-inbound.js';
import { reviewSchema, TemplateReviews, type UpstreamTemplate } from './template-reviews.js';

/** What people do at the upstream: set up an account's callback, write messages, review templates. */
@Controller('chat')
export class ChatConsoleController {
  constructor(
    private readonly accounts: ChatAccountBook,
    private readonly inbound: ChatInbound,
    private readonly templates: TemplateReviews,
  ) {}

  /** Verifies the callback first, as the upstream's console does. */
  @Post('accounts')
  @HttpCode(200)
  async register(@Body() body: unknown): Promise<{ phone_number_id: string; verified: true }> {
    const account = read(chatAccountSchema, body);
    if (!(await this.accounts.register(account))) {
      throw new BadRequestException(
        "The callback URL or verify token couldn't be validated. Please verify the provided information or try again later.",
      );
    }
    return { phone_number_id: account.phone_number_id, verified: true };
  }

  /** A message from a telephone: `{ phone_number_id, from, text }` or `{ …, message: { type, … } }`. */
  @Post('inbound')
  @HttpCode(200)
  async write(@Body() body: unknown): Promise<{ id: string; taken: true }> {
    const written = await this.inbound.write(read(inboundSchema, body));
    if (!written) throw new NotFoundException('No account is registered for this phone_number_id');
    if (!written.taken) throw new BadGatewayException('The callback did not take the message');
    return { id: written.id, taken: true };
  }

  /** `{ phone_number_id, from or user_id, value: stop or resume }`: the preference about campaigns that a person set. */
  @Post('preferences')
  @HttpCode(200)
  async prefer(@Body() body: unknown): Promise<{ taken: true }> {
    const taken = await this.inbound.prefer(read(preferenceSchema, body));
    if (taken === null) throw new NotFoundException('No account is registered for this phone_number_id');
    if (!taken) throw new BadGatewayException('The callback did not take the change');
    return { taken };
  }

  @Get('templates')
  list(): UpstreamTemplate[] {
    return this.templates.list();
  }

  /** `{ status, reason? }`; `taken`: whether a callback of the business account took the news. */
  @Post('templates/:id/review')
  @HttpCode(200)
  async review(
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<{ template: UpstreamTemplate; taken: boolean }> {
    const reviewed = await this.templates.review(id, read(reviewSchema, body));
    if (!reviewed) throw new NotFoundException('Template not found');
    return reviewed;
  }
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
  return parsed.data;
}
