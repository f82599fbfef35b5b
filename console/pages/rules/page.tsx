import { Link } from 'wouter';
import type { Rule } from '#contract/rules.ts';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import * as strings from '../../strings.ts';
import { NEW } from './draft.ts';
import { RuleEditor } from './rule-editor.tsx';
import { RuleList } from './rule-list.tsx';
import { SavedReplies } from './saved-replies.tsx';
import { text } from './strings.ts';

const Editor = ({ rules, open }: { readonly rules: readonly Rule[]; readonly open: string }) => {
  const rule = rules.find(({ id }) => id === open);
  return (
    <div className="stack">
      <Link href="/rules">← {text.back}</Link>
      {rule || open === NEW ? (
        <RuleEditor rules={rules} rule={rule} />
      ) : (
        <EmptyState title={strings.states.notFound}>
          <p role="alert">{strings.states.notFoundText}</p>
        </EmptyState>
      )}
    </div>
  );
};

export const Page = () => {
  const [parameters] = useUrl();
  const open = parameters.get('open');
  const rules = useResource(['rules'], (signal) => dataOf(client.rules.list({ signal })), { poll: open === null });
  return (
    <>
      <PageHeader title="Rules" />
      <Loaded query={rules}>
        {(all) =>
          open === null ? (
            <div className="stack">
              <RuleList rules={all} />
              <SavedReplies />
            </div>
          ) : (
            <Editor key={open} rules={all} open={open} />
          )
        }
      </Loaded>
    </>
  );
};
