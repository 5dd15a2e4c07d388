import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors, clientIp, errorBody, streamChunks, unknownResource } from '../../platform/http/index.js';
import { RateLimited, tooMany } from '../../platform/security/index.js';
import { Open, OpenMisses } from '../accounts/index.js';
import { type ByteRange, OpenAudioQuery, readRange } from './audio.queries.js';

const SECONDS_OF_A_YEAR = 31_536_000;

/** An HTTP range error, without an error kind of its own. */
const UNSATISFIABLE = {
  status: 416,
  code: 'range_not_satisfiable',
  message: 'Range Not Satisfiable',
  reason: 'the range lies behind the end; `Content-Range` has the size',
  help: {},
};
const SOUND = {
  'audio/wav': { schema: { type: 'string', format: 'binary' } },
  'audio/mpeg': { schema: { type: 'string', format: 'binary' } },
} as const;

/** Audio of voice campaigns, for carriers that play it and browsers of reviewers. */
@ApiTags('Voice')
@Open('the name in the URL cannot be guessed; carriers fetch it without a login')
@RateLimited('carrier')
@Controller('audio')
export class AudioController {
  constructor(
    private readonly queries: QueryBus,
    private readonly misses: OpenMisses,
  ) {}

  @Get(':name')
  @ApiOperation({ summary: 'Audio of a voice campaign', description: 'Whole, or the range of bytes asked for.' })
  @ApiParam({ name: 'name', example: 'u3Jm0p5iS9m5kqkF0yJ2cQ7h4r1sW8aB.wav' })
  @ApiHeader({ name: 'Range', required: false, example: 'bytes=0-1023' })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiOkResponse({ description: 'The audio.', content: SOUND })
  @ApiResponse({ status: 206, description: 'The range of bytes asked for.', content: SOUND })
  @ApiResponse({ status: 304, description: 'The audio that the client has is the same.' })
  @ApiErrors(unknownResource.because('no such audio'), UNSATISFIABLE, tooMany.because('more than 60 misses a minute'))
  async read(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const audio = await this.misses.guard(clientIp(request), () => this.queries.execute(new OpenAudioQuery(name)));
    const etag = `"${audio.tag}"`;
    response.set({
      ETag: etag,
      'Last-Modified': audio.createdAt.toUTCString(),
      'Cache-Control': `public, max-age=${SECONDS_OF_A_YEAR}, immutable`,
      'Accept-Ranges': 'bytes',
    });
    if (hasTag(request.headers['if-none-match'], etag)) {
      response.status(304).end();
      return;
    }
    const range = mayRange(request, etag) ? readRange(request.headers.range, audio.size) : 'whole';
    if (range === 'unsatisfiable') {
      response.set({ 'Content-Range': `bytes */${audio.size}`, 'Cache-Control': 'no-store' });
      response.status(UNSATISFIABLE.status).json(errorBody('standard', UNSATISFIABLE.status, UNSATISFIABLE));
      return;
    }
    const { from, to }: ByteRange = range === 'whole' ? { from: 0, to: audio.size - 1 } : range;
    const headers = { 'Content-Type': audio.mime, 'Content-Length': String(to - from + 1) };
    if (range !== 'whole') response.status(206).set('Content-Range', `bytes ${from}-${to}/${audio.size}`);
    await streamChunks(response, headers, audio.bytes(from, to));
  }
}

/** Weak comparison of RFC 9110 §13.1.2. */
const hasTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((item) => ['*', etag, `W/${etag}`].includes(item.trim()));

/** If-Range: our content never changes, so only the tag can differ. */
const mayRange = (request: Request, etag: string): boolean => {
  const condition = request.headers['if-range'];
  return request.method === 'GET' && (condition === undefined || condition === etag);
};
