import { useState } from 'react';
import type { SavedReply } from '#contract/saved-replies.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Loaded } from '../../components/states.tsx';
import * as strings from '../../strings.ts';
import { NEW } from './draft.ts';
import { text as texts } from './strings.ts';

const ReplyDialog = ({ reply, onClose }: { readonly reply: SavedReply | undefined; readonly onClose: () => void }) => {
  const [name, setName] = useState(reply?.name ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const save = async () => {
    const body = { name, text };
    await (reply
      ? dataOf(client.savedReplies.update({ params: { reply: reply.id }, body }))
      : dataOf(client.savedReplies.create({ body })));
    notify(texts.saved(name));
    await refresh('replies');
  };
  return (
    <FormDialog
      title={reply ? texts.editReply(reply.name) : texts.newReply}
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
            hint={texts.placeholders}
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
    await dataOf(client.savedReplies.remove({ params: { reply: id } }));
    notify(texts.deleted(name), async () => {
      await dataOf(client.savedReplies.create({ body: { name, text } }));
      await refresh('replies');
    });
    await refresh('replies');
  });

/** The texts that moderators choose from, with a form to change them. */
export const SavedReplies = () => {
  const [parameters, change] = useUrl();
  const open = parameters.get('reply');
  const replies = useResource(['replies'], (signal) => dataOf(client.savedReplies.list({ signal })), {
    poll: open === null,
  });
  const close = () => change({ reply: undefined }, { replace: true });
  return (
    <section className="stack tight">
      <div className="row apart">
        <div>
          <h2>{texts.replies}</h2>
          <p className="soft">{texts.repliesText}</p>
        </div>
        <Button icon="add" onClick={() => change({ reply: NEW })}>
          {texts.addReply}
        </Button>
      </div>
      <Loaded query={replies} rows={3}>
        {(all) => {
          const reply = all.find(({ id }) => id === open);
          return (
            <>
              {all.length === 0 ? (
                <p className="soft">{texts.noReplies}</p>
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
                          label={texts.editReply(one.name)}
                          onClick={() => change({ reply: one.id })}
                        />
                        <Button icon="delete" label={texts.deleteReply(one.name)} onClick={() => void remove(one)} />
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
