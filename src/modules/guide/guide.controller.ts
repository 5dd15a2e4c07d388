import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { unknownResource } from '../../platform/http/index.js';
import { Open } from '../accounts/index.js';
import { GuidePages } from './guide-pages.js';

const REASON = 'documents hold no secret; DOCS=off hides them';
/** No inline or foreign content, and no requests. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');
const KEPT = 'public, max-age=60';

@ApiExcludeController()
@Controller('docs/guide')
export class GuideController {
  constructor(
    private readonly pages: GuidePages,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'DOCS'>,
  ) {}

  @Get()
  @Open(REASON)
  async first(@Res() response: Response): Promise<void> {
    await this.send(response, '');
  }

  @Get('assets/:file')
  @Open(REASON)
  async asset(@Param('file') name: string, @Res() response: Response): Promise<void> {
    const file = this.environment.DOCS ? await this.pages.asset(name) : null;
    if (!file) throw unknownResource();
    response.set({ 'Content-Type': file.type, 'Cache-Control': KEPT }).end(file.content);
  }

  @Get('*path')
  @Open(REASON)
  async page(@Param('path') path: string | string[], @Res() response: Response): Promise<void> {
    await this.send(response, [path].flat().join('/'));
  }

  private async send(response: Response, path: string): Promise<void> {
    const html = this.environment.DOCS ? await this.pages.find(path) : null;
    if (html === null) throw unknownResource();
    response.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': KEPT,
      'Content-Security-Policy': POLICY,
    });
    response.end(html);
  }
}
