import { useState } from 'react';
import type { SavedReply } from '#contract/replies.ts';
import { client, dataOf, fieldErrors, messageOf } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { strings } from '../../strings.ts';
import { NEW } from './draft.ts';

const ReplyDialog = ({ reply, onClose }: { readonly reply: SavedReply | undefined; readonly onClose: () => void }) => {
  const [name, setName] = useState(reply?.name ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setError(undefined);
    const body = { name, text };
    try {
      await (reply
        ? dataOf(client.replies.update({ params: { reply: reply.id }, body }))
        : dataOf(client.replies.create({ body })));
    } catch (failure) {
      setError(failure);
      return;
    }
    notify(strings.rules.saved(name));
    onClose();
    await refresh('replies');
  };
  return (
    <Dialog title={reply ? strings.rules.editReply(reply.name) : strings.rules.newReply} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {error !== undefined && (
          <p className="message bad" role="alert">
            {messageOf(error)}
          </p>
        )}
        <TextField name="name" value={name} errors={fieldErrors(error, 'name')} onChange={setName} />
        <TextArea
          name="text"
          value={text}
          rows={6}
          hint={strings.rules.placeholders}
          errors={fieldErrors(error, 'text')}
          onChange={setText}
        />
        <DialogActions>
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit">
            {strings.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
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
