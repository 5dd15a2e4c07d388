import { Controller, Get, HttpCode, Inject, Next, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { ENVIRONMENT, type Environment, publicPath } from '../../../platform/config/index.js';
import { unknownResource } from '../../../platform/http/index.js';
import { QueueDashboard } from '../../../platform/queues/index.js';
import { accountErrors, AdminSessions, Open } from '../../accounts/index.js';
import { Channels } from '../../engine/index.js';
import { PageFiles } from '../page/page-files.js';

const QUEUES = '/admin/queues';
const LOGIN = '/admin/login';
/** Scripts and styles are ours alone; nothing is inline, nothing comes from elsewhere. */
const PAGE_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; media-src 'self'",
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
].join('; ');
/** The dashboard has a base, inline styles, and fonts of another site, which it does without. */
const DASHBOARD_POLICY = PAGE_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace("base-uri 'none'", "base-uri 'self'")
  .concat("; font-src 'self' data:");

/**
 * The staff page. The pages themselves are behind the cookie of the admin login; what they show and do goes
 * through the admin API with the bearer token of the same login.
 */
@ApiExcludeController()
@Controller('admin')
export class PageController {
  /** browsers find the page below it */
  private readonly base: string;

  constructor(
    private readonly sessions: AdminSessions,
    private readonly files: PageFiles,
    private readonly dashboard: QueueDashboard,
    private readonly channels: Channels,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.base = publicPath(environment);
  }

  @Get()
  @Open('asks for the admin session itself and leads to the login')
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (await this.sessions.staffOf(request)) await this.send(response, 'index.html');
    else response.set('Cache-Control', 'no-store').redirect(this.base + LOGIN);
  }

  @Get('login')
  @Open('is where staff log in')
  async login(@Res() response: Response): Promise<void> {
    await this.send(response, 'login.html');
  }

  @Get('assets/:file')
  @Open('scripts and styles hold no secret')
  async asset(@Param('file') file: string, @Res() response: Response): Promise<void> {
    await this.send(response, file);
  }

  @Post('logout')
  @HttpCode(204)
  @Open('only ends the session of the browser that asks')
  async logout(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.close(request, response);
  }

  /** GET alone: the dashboard shows and changes nothing. */
  @Get(['queues', 'queues/*path'])
  @Open('asks for the admin session itself')
  async queues(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': DASHBOARD_POLICY });
    if (await this.sessions.staffOf(request))
      this.dashboard.serve(QUEUES, this.channels.queues, request, response, next);
    else if (request.accepts(['json', 'html']) === 'html') response.redirect(this.base + LOGIN);
    else throw accountErrors.invalidToken();
  }

  private async send(response: Response, name: string): Promise<void> {
    const file = await this.files.find(name);
    if (!file) throw unknownResource();
    response.set({
      'Content-Type': file.type,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': PAGE_POLICY,
    });
    response.end(file.content);
  }
}
