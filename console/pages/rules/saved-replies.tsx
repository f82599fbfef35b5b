import { useState } from 'react';
import type { SavedReply } from '#contract/replies.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Loaded } from '../../components/states.tsx';
import * as strings from '../../strings.ts';
import { NEW } from './draft.ts';

const ReplyDialog = ({ reply, onClose }: { readonly reply: SavedReply | undefined; readonly onClose: () => void }) => {
  const [name, setName] = useState(reply?.name ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const save = async () => {
    const body = { name, text };
    await (reply
      ? dataOf(client.replies.update({ params: { reply: reply.id }, body }))
      : dataOf(client.replies.create({ body })));
    notify(strings.rules.saved(name));
    await refresh('replies');
  };
  return (
    <FormDialog
      title={reply ? strings.rules.editReply(reply.name) : strings.rules.newReply}
      action={strings.actions.save}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField name="name" value={name} errors={fieldErrors(error, 'name')} onChange={setName} />
          <TextArea
            name="text"
            value={text}
            rows={6}
            hint={strings.rules.placeholders}
            errors={fieldErrors(error, 'text')}
            onChange={setText}
          />
        </>
      )}
    </FormDialog>
  );
};

const remove = ({ id, name, text }: SavedReply) =>
  perform(async () => {
    await dataOf(client.replies.remove({ params: { reply: id } }));
    notify(strings.rules.deleted(name), async () => {
      await dataOf(client.replies.create({ body: { name, text } }));
      await refresh('replies');
    });
    await refresh('replies');
  });

/** The texts that moderators choose from, with a form to change them. */
export const SavedReplies = () => {
  const [parameters, change] = useUrl();
  const open = parameters.get('reply');
  const replies = useResource(['replies'], (signal) => dataOf(client.replies.list({ signal })), {
    poll: open === null,
  });
  const close = () => change({ reply: undefined }, { replace: true });
  return (
    <section className="stack tight">
      <div className="row apart">
        <div>
          <h2>{strings.rules.replies}</h2>
          <p className="soft">{strings.rules.repliesText}</p>
        </div>
        <Button icon="add" onClick={() => change({ reply: NEW })}>
          {strings.rules.addReply}
        </Button>
      </div>
      <Loaded query={replies} rows={3}>
        {(all) => {
          const reply = all.find(({ id }) => id === open);
          return (
            <>
              {all.length === 0 ? (
                <p className="soft">{strings.rules.noReplies}</p>
              ) : (
                <ul className="card rows">
                  {all.map((one) => (
                    <li key={one.id} className="row apart">
                      <div className="shrink grow">
                        <strong dir="auto">{one.name}</strong>
                        <p className="soft clamped prose" dir="auto">
                          {one.text}
                        </p>
                      </div>
                      <span className="row tight">
                        <Button
                          icon="edit"
                          label={strings.rules.editReply(one.name)}
                          onClick={() => change({ reply: one.id })}
                        />
                        <Button
                          icon="delete"
                          label={strings.rules.deleteReply(one.name)}
                          onClick={() => void remove(one)}
                        />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
              {(reply || open === NEW) && <ReplyDialog key={open} reply={reply} onClose={close} />}
            </>
          );
        }}
      </Loaded>
    </section>
  );
};
