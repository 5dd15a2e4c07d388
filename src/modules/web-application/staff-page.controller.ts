import { Controller, Get, HttpCode, Inject, Next, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { type Environment, ENVIRONMENT, publicPath } from '../../platform/config/index.js';
import { QueueDashboard } from '../../platform/queues/index.js';
import { accountErrors, AdminSessions, Open } from '../accounts/index.js';
import { Channels } from '../engine/index.js';

const QUEUES = '/admin/queues';
/** The dashboard has a base, inline styles, and fonts of another site, which are blocked. */
const DASHBOARD_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  "media-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; font-src 'self' data:",
].join('; ');

/** Redirects former addresses of staff to the web application; serves the queue dashboard behind the staff cookie. */
@ApiExcludeController()
@Controller('admin')
export class PageController {
  private readonly application: string;

  constructor(
    private readonly sessions: AdminSessions,
    private readonly dashboard: QueueDashboard,
    private readonly channels: Channels,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.application = `${publicPath(environment)}/app`;
  }

  @Get()
  @Open('leads to the application')
  page(@Res() response: Response): void {
    response.set('Cache-Control', 'no-store').redirect(this.application);
  }

  @Get('login')
  @Open('leads to the login of the application')
  login(@Res() response: Response): void {
    response.set('Cache-Control', 'no-store').redirect(`${this.application}/login`);
  }

  @Post('logout')
  @HttpCode(204)
  @Open('only ends the session of the browser that asks')
  async logout(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.close(request, response);
  }

  /** GET only, so that the dashboard can change nothing. */
  @Get(['queues', 'queues/*path'])
  @Open('asks for the admin session itself')
  async queues(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': DASHBOARD_POLICY });
    if (await this.sessions.staffOf(request))
      this.dashboard.serve(QUEUES, this.channels.queues, request, response, next);
    else if (request.accepts(['json', 'html']) === 'html')
      response.redirect(`${this.application}/login?then=${encodeURIComponent(request.path)}`);
    else throw accountErrors.invalidToken();
  }
}
