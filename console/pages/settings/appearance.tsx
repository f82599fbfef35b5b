import { type ReactNode, useState } from 'react';
import { client } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { CONTRAST_MIN, colorsFromHue, contrastOf, hexOf, hslOf } from './color.ts';
import { Preview } from './preview.tsx';
import { text } from './strings.ts';
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

export const SettingView = ({ form, children }: { readonly form: SettingForm; readonly children: ReactNode }) => (
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
      {form.isChanged && <Button onClick={form.discard}>{text.discard}</Button>}
      <span className="push">
        <Button kind="quiet" onClick={() => void form.reset()}>
          {text.reset}
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
                  <legend className="label">{text.parts[part]}</legend>
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

/** The colour on which a colour of text stands. */
const backgroundOf = (name: string): string | undefined =>
  name === 'foreground' ? 'background' : /^(.+)-foreground$/.exec(name)?.[1];

/** Warns of a colour of text that is hard to read on its background. */
const ContrastWarning = ({
  form,
  mode,
  name,
}: {
  readonly form: SettingForm;
  readonly mode: 'light' | 'dark';
  readonly name: string;
}) => {
  const background = backgroundOf(name);
  if (background === undefined) return null;
  const colorOf = (one: string) => String(form.entries[`colors.${mode}.${one}`] ?? '');
  const contrast = contrastOf(colorOf(name), colorOf(background));
  if (contrast === undefined || contrast >= CONTRAST_MIN) return null;
  // A ratio just below the minimum must not look like it.
  return <p className="small warning">{text.contrast(formatNumber(Math.floor(contrast * 10) / 10), background)}</p>;
};

const ColorField = ({
  form,
  mode,
  name,
}: {
  readonly form: SettingForm;
  readonly mode: 'light' | 'dark';
  readonly name: string;
}) => {
  const path = `colors.${mode}.${name}`;
  const label = `${name}, ${text.modes[mode].toLowerCase()}`;
  const value = String(form.entries[path] ?? '');
  const errors = form.errorsOf(path);
  return (
    <div className="stack tight">
      <span className="color-field">
        <input
          type="color"
          aria-label={text.pick(label)}
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
      <ContrastWarning form={form} mode={mode} name={name} />
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
        {text.add}
      </Button>
    </div>
  );
};

/** Sets the colours that follow from one: by a preset, or by any colour. */
const MainColor = ({ form }: { readonly form: SettingForm }) => {
  const hueOf = (hsl: string): number => Number.parseInt(hsl, 10) || 0;
  const primary = String(form.entries['colors.light.primary'] ?? '');
  const derive = (hue: number) => {
    const colors = colorsFromHue(hue);
    for (const mode of ['light', 'dark'] as const)
      for (const [name, value] of Object.entries(colors[mode])) form.set(`colors.${mode}.${name}`, value);
  };
  return (
    <fieldset className="stack tight">
      <legend className="label">{text.mainColor}</legend>
      <p className="soft small">{text.mainColorText}</p>
      <div className="row">
        <input
          type="color"
          aria-label={text.pick(text.mainColor)}
          value={hexOf(primary) ?? '#000000'}
          onChange={(event) => derive(hueOf(hslOf(event.target.value)))}
        />
        {Object.entries(text.presets).map(([hue, label]) => (
          <Button key={hue} onClick={() => derive(Number(hue))}>
            <span className="swatch" style={{ background: `hsl(${hue} 70% 46%)` }} aria-hidden />
            {label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
};

const ThemeForm = ({ form }: { readonly form: SettingForm }) => (
  <SettingView form={form}>
    <MainColor form={form} />
    <p className="soft small">{text.themeHint}</p>
    <table className="table colors">
      <caption className="visually-hidden">{text.colors}</caption>
      <thead>
        <tr>
          <th>{text.color}</th>
          <th>{text.modes.light}</th>
          <th>{text.modes.dark}</th>
        </tr>
      </thead>
      <tbody>
        {namesBelow(form, 'colors.light.', 'colors.dark.').map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {(['light', 'dark'] as const).map((mode) => (
              <td key={mode}>
                <ColorField form={form} mode={mode} name={name} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    <AddEntry
      label={text.newColor}
      onAdd={(name) => {
        form.set(`colors.light.${name}`, '0 0% 50%');
        form.set(`colors.dark.${name}`, '0 0% 50%');
      }}
    />
    {['fonts.sans', 'fonts.serif', 'fonts.mono', 'radius'].map((path) => (
      <TextField
        key={path}
        name={path}
        label={text.variables[path] ?? path}
        value={String(form.entries[path] ?? '')}
        errors={form.errorsOf(path)}
        onChange={(value) => form.set(path, value)}
      />
    ))}
    {namesBelow(form, 'shadows.').map((name) => (
      <TextField
        key={name}
        name={`shadows.${name}`}
        label={text.shadow(name)}
        value={String(form.entries[`shadows.${name}`] ?? '')}
        errors={form.errorsOf(`shadows.${name}`)}
        onChange={(value) => form.set(`shadows.${name}`, value)}
      />
    ))}
    <AddEntry label={text.newShadow} onAdd={(name) => form.set(`shadows.${name}`, 'none')} />
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
