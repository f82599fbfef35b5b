import { Badge } from '../../components/badge.tsx';
import { text } from './strings.ts';

const tones = { approve: 'good', reject: 'bad', hold: 'wait', none: 'neutral' } as const;

/** What a rule does with a submission. */
export const OutcomeBadge = ({ outcome }: { readonly outcome: keyof typeof tones }) => (
  <Badge tone={tones[outcome]}>{text.outcomes[outcome]}</Badge>
);
