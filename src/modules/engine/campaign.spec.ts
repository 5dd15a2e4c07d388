import { describe, expect, it } from 'vitest';
import { CAMPAIGN_STATES, type CampaignState, isEndState, LANE_ACTION, statesThat, TRANSITIONS } from './campaign.js';

type TransitionName = keyof typeof TRANSITIONS;

const NAMES = Object.keys(TRANSITIONS) as TransitionName[];

/** Where each transition leads from each state, once a batch has left; a dash = refused. */
const MATRIX = `
  state             approve   reject    begin    pause   resume   cancel     complete
  pending_approval  accepted  rejected  -        -       -        cancelled  -
  accepted          -         -         running  paused  -        cancelled  completed
  running           -         -         -        paused  -        cancelled  completed
  paused            -         -         -        -       running  cancelled  completed
  completed         -         -         -        -       -        -          -
  cancelled         -         -         -        -       -        -          -
  failed            -         -         -        -       -        -          -
  rejected          -         -         -        -       -        -          -
`;

const [heads = [], ...lines] = MATRIX.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

const expected = lines.flatMap(([state, ...cells]) =>
  cells.map((to, index): [string, string, string] => [heads[index + 1] ?? '', state ?? '', to]),
);

describe('the table of campaign transitions', () => {
  it('is walked whole: every transition from every state', () => {
    expect(heads.slice(1).sort()).toEqual([...NAMES].sort());
    expect(lines.map(([state]) => state)).toEqual(CAMPAIGN_STATES);
    expect(expected).toHaveLength(NAMES.length * CAMPAIGN_STATES.length);
  });

  it.each(expected)('%s from %s: %s', (name, state, to) => {
    const transition = TRANSITIONS[name as TransitionName];
    expect(transition.from.includes(state as CampaignState) ? transition.to : '-').toBe(to);
  });

  it('takes a campaign back to where it was before the pause', () => {
    const unbegun = NAMES.filter((name) => TRANSITIONS[name].toUnbegun !== undefined);
    expect(unbegun).toEqual(['resume']);
    expect(TRANSITIONS.resume.toUnbegun).toBe('accepted');
  });

  it('refunds what has not left when a campaign is cancelled or rejected, and only then', () => {
    expect(statesThat('refund')).toEqual(['cancelled', 'rejected']);
    const refunding = NAMES.filter((name) => LANE_ACTION[TRANSITIONS[name].to] === 'refund');
    expect(refunding.sort()).toEqual(['cancel', 'reject']);
  });

  it('sends from the acceptance on, but neither paused nor before the approval', () => {
    expect(statesThat('send')).toEqual(['accepted', 'running']);
    expect(statesThat('wait')).toEqual(['pending_approval', 'paused']);
  });

  it('lets no duty change without waking the lanes, which `begin` and `complete` do not', () => {
    for (const state of TRANSITIONS.begin.from) expect(LANE_ACTION[state]).toBe(LANE_ACTION[TRANSITIONS.begin.to]);
    expect(LANE_ACTION[TRANSITIONS.complete.to]).toBe('nothing');
  });

  it('ends in four states', () => {
    expect(CAMPAIGN_STATES.filter(isEndState)).toEqual(['completed', 'cancelled', 'failed', 'rejected']);
  });
});
