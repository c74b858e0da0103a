import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobRequest, LaboratoryBackend } from '../../laboratory/desk/backend.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import { Fault, Field } from '../parts.js';
import { type FormField, type JobFormSpec, jobForms } from './job-forms.js';

interface JobsProps {
  readonly backend: LaboratoryBackend;
  readonly catalogue: Catalogue;
}

/** Every other job: what is started here runs on by itself and is kept. */
export function JobsPage({ backend, catalogue }: JobsProps): JSX.Element {
  const [fault, setFault] = useState<string | null>(null);
  const start = async (request: JobRequest) => {
    try {
      const id = await backend.start(request);
      setFault(null);
      location.hash = `#/results/${id}`;
    } catch (error) {
      setFault((error as Error).message);
      document.getElementById('main')?.scrollIntoView();
    }
  };
  return (
    <>
      <h1>Other jobs</h1>
      <p class="small muted lead">
        Each form runs the command of the same name. A job continues while you look at other pages, and its
        result is kept under Results.
      </p>
      {fault !== null && <Fault text={fault} />}
      <div class="jobforms">
        {jobForms.map((form) => (
          <JobForm key={form.title} form={form} catalogue={catalogue} onStart={start} />
        ))}
      </div>
    </>
  );
}

interface FormProps {
  readonly form: JobFormSpec;
  readonly catalogue: Catalogue;
  readonly onStart: (request: JobRequest) => Promise<void>;
}

function JobForm({ form, catalogue, onStart }: FormProps): JSX.Element {
  const { title, about, action, fields, submit } = form;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const entry = (field: FormField) => {
    const { name, label, hints } = field;
    const id = `${title.split(' ')[0]}-${name}`;
    return (
      <Field key={name} label={typeof label === 'string' ? label : label(catalogue)} id={id}>
        <Entry
          id={id}
          field={field}
          catalogue={catalogue}
          value={values[name]}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
        {hints !== undefined && (
          <datalist id={`${id}-hints`}>
            {hints(catalogue, values).map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        )}
      </Field>
    );
  };
  const halves = fields.filter(({ half }) => half);
  return (
    <form
      class="card pad"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        const asked = submit(values, catalogue);
        if ('open' in asked) location.hash = asked.open;
        else void onStart(asked);
      }}
    >
      <h2>{title}</h2>
      <p class="small muted">{about}</p>
      {fields.filter(({ half }) => !half).map(entry)}
      {halves.length > 0 && <div class="two">{halves.map(entry)}</div>}
      <button type="submit" class="btn main">
        {action}
      </button>
    </form>
  );
}

/** What a field is filled in with: a choice, a line or several. */
function Entry({
  id,
  field,
  catalogue,
  value,
  onChange,
}: {
  id: string;
  field: FormField;
  catalogue: Catalogue;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const { choices, hints, rows } = field;
  if (choices !== undefined)
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices(catalogue).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    );
  const own = { id, value, spellcheck: false };
  return rows === undefined ? (
    <input
      {...own}
      type="text"
      list={hints === undefined ? undefined : `${id}-hints`}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <textarea {...own} rows={rows} onInput={(event) => onChange(event.currentTarget.value)} />
  );
}
