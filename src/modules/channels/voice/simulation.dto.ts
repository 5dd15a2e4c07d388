import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FORWARD_OUTCOMES } from './calls/simulation.js';
import { VOICE_EXAMPLES, VoiceMenusBody } from './voice.dto.js';

/** Body of a simulation, for Swagger; `readSimulation` validates it. */
export class SimulationBody extends VoiceMenusBody {
  @ApiPropertyOptional({
    oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
    description: 'Keys in order, empty = silence; also as one text, such as "21". Afterwards the callee stays silent.',
    example: ['2', '1'],
  })
  digits?: string[] | string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', enum: FORWARD_OUTCOMES },
    description: 'What becomes of forwarded legs, by number; any other number answers.',
    example: { '919812345678': 'busy' },
  })
  forwards?: Record<string, string>;
}

const { dtmf_flow } = VOICE_EXAMPLES.menu.value;

export const SIMULATION_EXAMPLES = {
  transfer: {
    summary: 'A transfer whose first number is busy',
    value: { message: 'Press 1 or 2.', dtmf_flow, digits: ['1'], forwards: { '919812345678': 'busy' } },
  },
  submenu: { summary: 'Into the submenu and back', value: { message: 'Press 1 or 2.', dtmf_flow, digits: '2#' } },
};

const nullable = { type: String, nullable: true } as const;

class SimulatedStepView {
  @ApiProperty({ example: 'dtmf_flow.rows[0]', description: 'The menu or row in charge.' })
  at!: string;

  @ApiProperty({ enum: ['menu', 'play', 'dial', 'record'] })
  does!: string;

  @ApiProperty({ ...nullable, description: 'Address or text that is heard.', example: 'Press 1 or 2.' })
  hears!: string | null;

  @ApiProperty({ ...nullable, description: 'menu: the keys that lead on.', example: '12' })
  keys!: string | null;

  @ApiProperty({ ...nullable, description: 'menu: the key pressed; empty = silence.', example: '1' })
  pressed!: string | null;

  @ApiProperty({ ...nullable, description: 'dial: the number.', example: null })
  number!: string | null;

  @ApiProperty({
    ...nullable,
    enum: [...FORWARD_OUTCOMES, null],
    description: 'dial: what becomes of it.',
    example: null,
  })
  outcome!: string | null;
}

class SimulatedEndView {
  @ApiProperty({ enum: ['played', 'transferred', 'not_transferred', 'recorded', 'silence', 'wrong_key'] })
  reason!: string;

  @ApiProperty({ example: 'dtmf_flow.rows[0]' })
  at!: string;
}

class SimulationView {
  @ApiProperty({ example: true })
  ivr_enabled!: boolean;

  @ApiProperty({ type: [SimulatedStepView] })
  steps!: SimulatedStepView[];

  @ApiProperty()
  ended!: SimulatedEndView;

  @ApiProperty({ type: [String], description: 'Keys for which the call was over too early.', example: [] })
  unused_digits!: string[];
}

export class SimulationAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: SimulationView;
}
