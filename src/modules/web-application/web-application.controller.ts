import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Environment, ENVIRONMENT, publicPath } from '../../platform/config/index.js';
import { unknownResource } from '../../platform/http/index.js';
import { Open } from '../accounts/index.js';
import { ENCODINGS, WebFiles } from './web-files.js';

/** No inline or foreign content; recordings play from memory. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
].join('; ');
const YEAR_S = 31_536_000;

/** The web application (reference/admin#web-application). Its files are public; data needs a bearer token. */
@ApiExcludeController()
@Controller()
@Open('files for browsers hold no secret')
export class WebApplicationController {
  constructor(
    private readonly files: WebFiles,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  root(@Res() response: Response): void {
    response.set('Cache-Control', 'no-store').redirect(`${publicPath(this.environment)}/app`);
  }

  /** File names change with the content, so files may be cached forever. */
  @Get('app/assets/:file')
  async asset(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const encoding = ENCODINGS.find((one) => request.acceptsEncodings(one)) ?? 'identity';
    const file = await this.files.asset(name, encoding);
    if (!file) throw unknownResource();
    const { type, content } = file;
    response.set({
      'Content-Type': type,
      'Cache-Control': `public, max-age=${YEAR_S}, immutable`,
      'Content-Security-Policy': POLICY,
      Vary: 'Accept-Encoding',
    });
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.end(content);
  }

  @Get(['app', 'app/*path'])
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
    });
    response.end(await this.files.indexFor(request.path));
  }
}
