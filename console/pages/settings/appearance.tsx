import { type ReactNode, useState } from 'react';
import { client } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { hexOf, hslOf } from './color.ts';
import { Preview } from './preview.tsx';
import { type SettingForm, useSetting } from './use-setting.tsx';

const useLayout = () =>
  useSetting('layout', {
    read: (signal) => client.settings.readLayout({ ...(signal && { signal }) }),
    update: (body, headers) => client.settings.updateLayout({ body, headers }),
  });

const useTheme = () =>
  useSetting('theme', {
    read: (signal) => client.settings.readTheme({ ...(signal && { signal }) }),
    update: (body, headers) => client.settings.updateTheme({ body, headers }),
  });

const SettingView = ({ form, children }: { readonly form: SettingForm; readonly children: ReactNode }) => (
  <form
    className="card stack"
    onSubmit={(event) => {
      event.preventDefault();
      void form.save();
    }}
  >
    {children}
    <div className="row">
      <Button kind="primary" type="submit" isDisabled={!form.isChanged}>
        {strings.actions.save}
      </Button>
      {form.isChanged && <Button onClick={form.discard}>{strings.settings.discard}</Button>}
      <span className="push">
        <Button kind="quiet" onClick={() => void form.reset()}>
          {strings.settings.reset}
        </Button>
      </span>
    </div>
    {form.dialog}
  </form>
);

export const LayoutTab = () => {
  const [layout, layoutForm] = useLayout();
  const [theme, themeForm] = useTheme();
  return (
    <Loaded query={layout}>
      {(stored) => {
        const form = layoutForm(stored);
        return (
          <div className="grid">
            <SettingView form={form}>
              {(['card', 'detail'] as const).map((part) => (
                <fieldset key={part} className="stack tight">
                  <legend className="label">{strings.settings.parts[part]}</legend>
                  {['showLogo', 'showImage'].map((name) => (
                    <Checkbox
                      key={name}
                      label={words(name)}
                      isChecked={form.entries[`${part}.${name}`] === true}
                      onChange={(isOn) => form.set(`${part}.${name}`, isOn)}
                    />
                  ))}
                </fieldset>
              ))}
            </SettingView>
            <Loaded query={theme}>
              {(current) => <Preview theme={themeForm(current).entries} layout={form.entries} />}
            </Loaded>
          </div>
        );
      }}
    </Loaded>
  );
};

const ColorField = ({
  form,
  path,
  label,
}: {
  readonly form: SettingForm;
  readonly path: string;
  readonly label: string;
}) => {
  const value = String(form.entries[path] ?? '');
  const errors = form.errorsOf(path);
  return (
    <div className="stack tight">
      <span className="color-field">
        <input
          type="color"
          aria-label={strings.settings.pick(label)}
          value={hexOf(value) ?? '#000000'}
          onChange={(event) => form.set(path, hslOf(event.target.value))}
        />
        <input
          className="input"
          aria-label={label}
          aria-invalid={errors.length > 0}
          value={value}
          autoComplete="off"
          onChange={(event) => form.set(path, event.target.value)}
        />
      </span>
      {errors.length > 0 && <span className="field-error">{errors.join('. ')}</span>}
    </div>
  );
};

/** The last parts of the paths below a prefix. */
const namesBelow = (form: SettingForm, ...prefixes: readonly string[]): readonly string[] => [
  ...new Set(
    Object.keys(form.entries).flatMap((path) =>
      prefixes.filter((prefix) => path.startsWith(prefix)).map((prefix) => path.slice(prefix.length)),
    ),
  ),
];

const AddEntry = ({ label, onAdd }: { readonly label: string; readonly onAdd: (name: string) => void }) => {
  const [name, setName] = useState('');
  return (
    <div className="row add-entry">
      <TextField name="name" label={label} value={name} onChange={setName} />
      <Button
        icon="add"
        isDisabled={name.trim() === ''}
        onClick={() => {
          onAdd(name.trim());
          setName('');
        }}
      >
        {strings.settings.add}
      </Button>
    </div>
  );
};

const ThemeForm = ({ form }: { readonly form: SettingForm }) => (
  <SettingView form={form}>
    <p className="soft small">{strings.settings.themeHint}</p>
    <table className="table colors">
      <caption className="visually-hidden">{strings.settings.colors}</caption>
      <thead>
        <tr>
          <th>{strings.settings.color}</th>
          <th>{strings.settings.modes.light}</th>
          <th>{strings.settings.modes.dark}</th>
        </tr>
      </thead>
      <tbody>
        {namesBelow(form, 'colors.light.', 'colors.dark.').map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {(['light', 'dark'] as const).map((mode) => (
              <td key={mode}>
                <ColorField
                  form={form}
                  path={`colors.${mode}.${name}`}
                  label={`${name}, ${strings.settings.modes[mode].toLowerCase()}`}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    <AddEntry
      label={strings.settings.newColor}
      onAdd={(name) => {
        form.set(`colors.light.${name}`, '0 0% 50%');
        form.set(`colors.dark.${name}`, '0 0% 50%');
      }}
    />
    {['fonts.sans', 'fonts.serif', 'fonts.mono', 'radius'].map((path) => (
      <TextField
        key={path}
        name={path}
        label={strings.settings.variables[path] ?? path}
        value={String(form.entries[path] ?? '')}
        errors={form.errorsOf(path)}
        onChange={(value) => form.set(path, value)}
      />
    ))}
    {namesBelow(form, 'shadows.').map((name) => (
      <TextField
        key={name}
        name={`shadows.${name}`}
        label={strings.settings.shadow(name)}
        value={String(form.entries[`shadows.${name}`] ?? '')}
        errors={form.errorsOf(`shadows.${name}`)}
        onChange={(value) => form.set(`shadows.${name}`, value)}
      />
    ))}
    <AddEntry label={strings.settings.newShadow} onAdd={(name) => form.set(`shadows.${name}`, 'none')} />
  </SettingView>
);

export const ThemeTab = () => {
  const [layout, layoutForm] = useLayout();
  const [theme, themeForm] = useTheme();
  return (
    <Loaded query={theme}>
      {(stored) => {
        const form = themeForm(stored);
        return (
          <div className="theme-editor">
            <ThemeForm form={form} />
            <Loaded query={layout}>
              {(current) => <Preview theme={form.entries} layout={layoutForm(current).entries} />}
            </Loaded>
          </div>
        );
      }}
    </Loaded>
  );
};

const mapOptions = {
  defaultProjection: ['globe', 'mercator'],
  lighting: ['auto', 'dawn', 'day', 'dusk', 'night'],
} as const;

export const MapTab = () => {
  const [map, mapForm] = useSetting('map', {
    read: (signal) => client.settings.readMap({ ...(signal && { signal }) }),
    update: (body, headers) => client.settings.updateMap({ body, headers }),
  });
  return (
    <Loaded query={map}>
      {(stored) => {
        const form = mapForm(stored);
        return (
          <SettingView form={form}>
            {Object.entries(mapOptions).map(([name, options]) => (
              <SelectField
                key={name}
                name={name}
                value={String(form.entries[name])}
                options={options.map((option) => [option, words(option)])}
                onChange={(value) => form.set(name, value)}
              />
            ))}
          </SettingView>
        );
      }}
    </Loaded>
  );
};
