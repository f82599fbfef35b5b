import { useState } from 'react';
import { Link } from 'wouter';
import type { AdminClaim, ClaimState } from '#contract/claims.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { TextArea } from '../../components/fields.tsx';
import { FilteredRows } from '../../components/filtered-rows.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { claims as text } from './strings.ts';

const filters = ['proven', 'open', 'approved', 'rejected', 'expired', 'withdrawn', 'all'] as const satisfies readonly (
  | ClaimState
  | 'all'
)[];

const tones = {
  open: 'neutral',
  proven: 'wait',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
  withdrawn: 'neutral',
} as const satisfies Record<ClaimState, Tone>;

const User = ({ label, user }: { readonly label: string; readonly user: AdminClaim['owner'] }) => (
  <>
    <dt>{label}</dt>
    <dd>
      <UserLink user={user} />
      {user?.email && user.name !== null && <span className="soft small"> {user.email}</span>}
    </dd>
  </>
);

const Proof = ({ of: { proof, last_check } }: { readonly of: AdminClaim }) => (
  <>
    <dt>{text.proof}</dt>
    <dd>
      {proof === null ? (
        text.noProof
      ) : (
        <>
          <code>{proof.name}</code> <code>{proof.value}</code>
        </>
      )}
      {last_check !== null && (
        <span className="soft small">
          {' '}
          {text.results[last_check.result]} <Time at={last_check.at} isAge />
        </span>
      )}
    </dd>
  </>
);

const Decision = ({ of, onClose }: { readonly of: AdminClaim; readonly onClose: () => void }) => (
  <Confirm
    title={text.approveTitle(of.project.name)}
    action={text.approve}
    onClose={onClose}
    onConfirm={async () => {
      await dataOf(client.claims.approve({ params: { claim: of.id } }));
      notify(text.done.approved(of.project.name));
      await refresh('claims', 'projects', 'summary');
    }}
  >
    <p>{text.approveText}</p>
  </Confirm>
);

const Rejection = ({ of, onClose }: { readonly of: AdminClaim; readonly onClose: () => void }) => {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title={text.rejectTitle(of.project.name)}
      action={text.reject}
      onClose={onClose}
      onConfirm={async () => {
        await dataOf(client.claims.reject({ params: { claim: of.id }, body: { reason: reason.trim() || null } }));
        notify(text.done.rejected(of.project.name));
        await refresh('claims', 'summary');
      }}
    >
      <TextArea name="reason" value={reason} rows={3} hint={text.reasonHint} onChange={setReason} />
    </Confirm>
  );
};

const ClaimRow = ({ of }: { readonly of: AdminClaim }) => {
  const { project, state, method, host, message, reason } = of;
  const [asked, setAsked] = useState<'approve' | 'reject'>();
  const isOpen = state === 'open' || state === 'proven';
  const close = () => setAsked(undefined);
  return (
    <div className="stack">
      <h2 className="row">
        <Link href={`/listings?open=${project.id}`} className="shrink">
          <bdi>{project.name}</bdi>
        </Link>
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        <span className="soft small">
          {text.methods[method]} · {text.made} <Time at={of.created_at} isAge />
          {of.decided_at !== null && (
            <>
              {' '}
              · {text.decided} <Time at={of.decided_at} isAge />
            </>
          )}
        </span>
      </h2>
      <dl className="facts">
        <User label={text.claimant} user={of.claimant} />
        <User label={text.owner} user={of.owner} />
        <dt>{text.host}</dt>
        <dd>{host}</dd>
        <Proof of={of} />
      </dl>
      {message !== null && (
        <p className="reading prose" dir="auto">
          {message}
        </p>
      )}
      {reason !== null && (
        <p className="soft reading prose" dir="auto">
          {text.reason}: {reason}
        </p>
      )}
      {isOpen && (
        <div className="row">
          {(state === 'proven' || method === 'manual') && (
            <Button kind="primary" onClick={() => setAsked('approve')}>
              {text.approve}
            </Button>
          )}
          <Button kind="danger" onClick={() => setAsked('reject')}>
            {text.reject}
          </Button>
        </div>
      )}
      {asked === 'approve' && <Decision of={of} onClose={close} />}
      {asked === 'reject' && <Rejection of={of} onClose={close} />}
    </div>
  );
};

/** Claims of listings, with their proof, the claimant and the present owner. */
export const ClaimsTab = () => (
  <FilteredRows
    resource={['claims', 'list']}
    read={(state, paging, signal) =>
      bodyOf(client.claims.list({ query: { ...paging, ...(state !== 'all' && { state }) }, signal }))
    }
    parameter="state"
    filters={filters}
    text={text}
    idOf={({ id }) => id}
  >
    {(one) => <ClaimRow of={one} />}
  </FilteredRows>
);
