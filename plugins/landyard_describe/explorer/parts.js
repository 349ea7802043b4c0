// Replacements of Swagger UI components, adapted to named methods.

export const WITHHELD = `${location.origin}/rest/1/YOUR-WEBHOOK`

const nothing = () => () => null

export function parts(spec) {
  return {
    fn: { opsFilter },
    wrapComponents: {
      InfoContainer: nothing,
      ServersContainer: nothing,
      SchemesContainer: nothing,
      FilterContainer: nothing,
      OperationSummaryPath:
        (_, { React }) =>
        ({ operationProps: shown }) =>
          title(React, name(shown.get('path')), spec.paths[shown.get('path')][shown.get('method')]),
      RequestBody:
        (Original, { React }) =>
        (props) => {
          const [, path, verb] = props.specPath.toJS()
          return React.createElement(
            'div',
            null,
            parameters(React, spec.paths[path][verb], spec),
            React.createElement(Original, props)
          )
        }
    }
  }
}

function opsFilter(groups, wanted) {
  const found = (one) => name(one.get('path')).toLowerCase().includes(wanted.toLowerCase())
  return groups
    .map((group) => group.update('operations', (all) => all.filter(found)))
    .filter((group) => group.get('operations').size > 0)
}

const name = (path) => path.replace(/^\//, '').replace(/\.json$/, '')

function title(React, method, operation) {
  const make = React.createElement
  const kind = operation['x-landyard']?.writes ? 'writes' : 'reads'
  // Long names break after dots.
  const words = method.split(/(?<=\.)/).flatMap((word, at) => (at ? [make('wbr', { key: at }), word] : [word]))
  return make(
    'span',
    { className: 'opblock-summary-path' },
    make('span', { className: `kind ${kind}` }, kind),
    make('span', { className: 'name' }, words)
  )
}

// A method's parameters, above the field to write them in.
function parameters(React, operation, spec) {
  const make = React.createElement
  const [body] = Object.values(operation.requestBody.content)
  const rows = fields(spec, body.schema)
  return make(
    'div',
    { className: 'parameters' },
    make('h4', null, 'Parameters'),
    rows.length === 0
      ? make('p', null, 'It takes none.')
      : make(
          'table',
          null,
          make(
            'thead',
            null,
            make(
              'tr',
              null,
              ['Name', 'Value', 'Meaning'].map((word) => make('th', { key: word, scope: 'col' }, word))
            )
          ),
          make(
            'tbody',
            null,
            rows.map((row) =>
              make(
                'tr',
                { key: row.name },
                make('th', { scope: 'row' }, make('code', null, row.name), row.required && make('b', null, ' needed')),
                make(
                  'td',
                  null,
                  row.kind,
                  row.usual !== undefined && make('span', null, ', by default ', make('code', null, row.usual))
                ),
                make('td', null, written(React, row.text))
              )
            )
          )
        ),
    make('h4', null, 'Call')
  )
}

// Text between backticks is code.
function written(React, text) {
  return text.split('`').map((part, at) => (at % 2 ? React.createElement('code', { key: at }, part) : part))
}

// Includes fields of nested objects, except of an object within itself.
function fields(spec, schema, prefix = '', around = []) {
  const object = objectIn(spec, schema)
  if (around.includes(object)) return []
  return Object.entries(object?.properties ?? {}).flatMap(([field, value]) => {
    const resolvedSchema = resolved(spec, value)
    const row = {
      name: prefix + field,
      required: (object.required ?? []).includes(field),
      kind: kind(spec, value),
      usual: value.default === undefined ? undefined : JSON.stringify(value.default),
      text: value.description ?? resolvedSchema.description ?? ''
    }
    return [row, ...fields(spec, value, `${prefix}${field}.`, [...around, object])]
  })
}

function resolved(spec, schema) {
  const ref = schema.$ref?.replace('#/components/schemas/', '')
  return ref ? (spec.components.schemas[ref] ?? {}) : schema
}

// The alternative of a schema that is an object with named fields, if any.
function objectIn(spec, schema) {
  const resolvedSchema = resolved(spec, schema)
  return [resolvedSchema, ...(resolvedSchema.anyOf ?? [])]
    .map((each) => resolved(spec, each))
    .find((each) => each.properties)
}

function kind(spec, schema, around = []) {
  const resolvedSchema = resolved(spec, schema)
  if (around.includes(resolvedSchema)) return resolvedSchema.title ?? 'the same'
  const within = [...around, resolvedSchema]
  if (resolvedSchema.anyOf) {
    const kinds = resolvedSchema.anyOf
      .filter((each) => resolved(spec, each).maxItems !== 0)
      .map((each) => kind(spec, each, within))
    return either([...new Set(kinds)])
  }
  if (resolvedSchema.enum) return either(resolvedSchema.enum.map((each) => JSON.stringify(each)))
  if (resolvedSchema.type === 'array') return `list of ${kind(spec, resolvedSchema.items ?? {}, within)}`
  return either([resolvedSchema.type ?? 'any value'].flat())
}

const either = (kinds) => kinds.join(', ').replace(/, ([^,]*)$/, ' or $1')
