import type { Schema } from '../api/client.js';
import { Count, counted, formatCount, formatSpan, momentWords, Share, useTimeZone } from '../ui/index.js';
import { deliveredShare, figuresOf, segmentsOf } from './figures.js';
import { isOver, LocalTime } from './words.js';

type Detail = Schema<'CampaignDetailData'>;

/** How the campaign does, at a glance: figures, a bar of all recipients, and what it waits for. */
export function KeyFigures({ campaign }: { campaign: Detail }) {
  const figures = figuresOf(campaign);
  const segments = segmentsOf(figures);
  const cost = campaign.credits - campaign.refunded_credits;
  return (
    <>
      <dl className="figures">
        <div>
          <dt>Delivered</dt>
          <dd>
            <Share value={deliveredShare(figures)} />
            <small>{formatCount(figures.delivered)} delivered</small>
          </dd>
        </div>
        <div>
          <dt>Failed</dt>
          <dd>
            <Count value={figures.failed} />
            {figures.suppressed > 0 && <small>{formatCount(figures.suppressed)} more on the stop list</small>}
          </dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>
            <Count value={figures.waiting + figures.sent} />
            {figures.sent > 0 && <small>{formatCount(figures.sent)} for a receipt</small>}
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            <Count value={cost} />
            <small>{cost === 1 ? 'credit' : 'credits'}</small>
          </dd>
        </div>
        <div>
          <dt>Refunded</dt>
          <dd>
            <Count value={campaign.refunded_credits} />
            <small>{campaign.refunded_credits === 1 ? 'credit' : 'credits'}</small>
          </dd>
        </div>
      </dl>
      <svg
        className="stacked"
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Of ${counted(figures.total, 'recipient')}: ${segments.map(({ name, count }) => `${name} ${formatCount(count)}`).join(', ')}`}
      >
        {segments.map(({ name, tone, from, width }) => (
          <rect key={name} className={tone} x={from} y={0} width={width} height={4} />
        ))}
      </svg>
      <ul className="legend">
        {segments.map(({ name, tone, count }) => (
          <li key={name} className={tone}>
            {name} <Count value={count} />
          </li>
        ))}
      </ul>
      <WaitsFor campaign={campaign} receipts={figures.sent} />
    </>
  );
}

/** One sentence about what is still to come; nothing once it is over. */
function WaitsFor({ campaign, receipts }: { campaign: Detail; receipts: number }) {
  const { state, phase, seconds_left: left, receipts_until: until, scheduled_at: at } = campaign;
  const zone = useTimeZone();
  if (isOver(state) || phase === 'pending_approval') return null;
  if (phase === 'scheduled') return at === null ? null : <p>Scheduled: {momentWords(new Date(at), zone)}.</p>;
  if (until !== null)
    return (
      <p>
        All sent. Waiting for {counted(receipts, 'receipt')} until <LocalTime value={until} />.
      </p>
    );
  if (left === null || left === 0) return null;
  return <p>About {formatSpan(left)} until all are sent.</p>;
}
