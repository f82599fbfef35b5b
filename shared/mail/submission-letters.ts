import type { Message } from '#events/catalogue.ts';
import type { Letter, Letterhead } from './layout.ts';
import { greetingTo, projectUrl, reasonFor } from './phrases.ts';

/** What the submitter of a project is written when it is received, approved or rejected. */

type About = Message<'projectSubmitted' | 'projectApproved' | 'projectRejected'>;

/** The letter that goes with an event. */
export const submissionLetter = (event: About, recipient: string | null, head: Letterhead): Letter => {
  const { name, slug } = event.data;
  const greeting = greetingTo(recipient);
  const reason = 'You get this because you submitted it.';
  switch (event.kind) {
    case 'projectSubmitted':
      return {
        subject: `We have received ${name}`,
        greeting,
        paragraphs: [
          `Thank you for submitting ${name}. It is in the queue for review, and you will hear from us as soon as somebody has looked at it.`,
        ],
        reason: reasonFor(reason),
      };
    case 'projectApproved':
      return {
        subject: `${name} is live`,
        greeting,
        paragraphs: [`Good news: ${name} has been approved and everybody can see it now.`],
        link: { label: `See ${name}`, url: projectUrl(head, slug) },
        reason,
      };
    case 'projectRejected':
      return {
        subject: `${name} was not accepted`,
        greeting,
        paragraphs: [
          event.data.reason
            ? `We have looked at ${name} and cannot accept it as it is. The reviewer wrote:`
            : `We have looked at ${name} and cannot accept it as it is.`,
          'You can edit your submission and send it in again.',
        ],
        quote: event.data.reason,
        reason,
      };
  }
};
