import fc from 'fast-check';

/** Numbers of several countries, of one whose code has three digits, and of none. */
const PREFIXES = ['9198', '9170', '1202', '4420', '9715', '9941'];

/** What becomes of a recipient: of receipts, or that a gateway refuses it; `elsewhere` is refused by the first route alone. */
export type Fate = 'delivered' | 'failed' | 'refused' | 'elsewhere' | 'stopped';

export interface Person {
  prefix: string;
  fate: Fate;
  own: { credits?: number; name?: string; sender?: string; far?: boolean; chain?: boolean } | null;
}

const person: fc.Arbitrary<Person> = fc.record({
  prefix: fc.constantFrom(...PREFIXES),
  fate: fc.constantFrom<Fate>('delivered', 'delivered', 'failed', 'refused', 'elsewhere', 'elsewhere', 'stopped'),
  own: fc.option(
    fc.record(
      {
        credits: fc.integer({ min: 0, max: 9 }),
        name: fc.string({ maxLength: 12 }),
        sender: fc.constantFrom('ACME', 'NIGHT'),
        far: fc.boolean(),
        chain: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  ),
});

/** `bulk` and `chat` are personalised sends, of SMS and of unofficial chat. */
export interface Campaign {
  kind: 'page' | 'sms' | 'bulk' | 'chat';
  people: Person[];
  change: 'none' | 'pause and resume' | 'cancel' | 'never begun';
}

const campaign: fc.Arbitrary<Campaign> = fc.record({
  kind: fc.constantFrom('page', 'sms', 'bulk', 'bulk', 'bulk', 'chat'),
  people: fc.array(person, { minLength: 1, maxLength: 10 }),
  change: fc.constantFrom('none', 'none', 'pause and resume', 'cancel', 'never begun'),
});

export interface Rate {
  channel: string;
  prefix: string;
  credits_per_segment: number;
}

/** A plan of rates, or none. */
const rates: fc.Arbitrary<Rate[] | null> = fc.option(
  fc.uniqueArray(
    fc.record({
      channel: fc.constantFrom('sms', 'unofficial'),
      prefix: fc.constantFrom('', '9', '9', '91', '9198', '1', '44', '971'),
      credits_per_segment: fc.integer({ min: 0, max: 20 }),
    }),
    { selector: ({ channel, prefix }) => `${channel} ${prefix}`, maxLength: 8 },
  ),
);

/** What happens to the campaigns of one account. */
export interface Story {
  campaigns: Campaign[];
  rates: Rate[] | null;
  refundsFailures: boolean;
  retries: boolean;
}

export const story: fc.Arbitrary<Story> = fc.record({
  campaigns: fc.array(campaign, { minLength: 1, maxLength: 4 }),
  rates,
  refundsFailures: fc.boolean(),
  retries: fc.boolean(),
});

const taken = (prefix: string, fate: Fate, name?: string): Person => ({
  prefix,
  fate,
  own: name === undefined ? null : { name },
});

/** Recipients of a plan whom the first route refuses, beside others: this happens, whatever else does. */
export const HANDED_OVER: Story = {
  campaigns: [
    {
      kind: 'bulk',
      people: [
        taken('9198', 'elsewhere'),
        taken('9170', 'elsewhere', 'Asha Sharma'),
        taken('9715', 'elsewhere', 'A'),
        taken('9198', 'delivered'),
        taken('9170', 'refused'),
        taken('1202', 'elsewhere'),
      ],
      change: 'none',
    },
  ],
  rates: [
    { channel: 'sms', prefix: '9', credits_per_segment: 3 },
    { channel: 'sms', prefix: '9198', credits_per_segment: 5 },
    { channel: 'sms', prefix: '1', credits_per_segment: 7 },
  ],
  refundsFailures: true,
  retries: true,
};
