// The terms of RethinkDB's query language that STF asks, over tables in memory: a row is what JSON says it is.
'use strict'

const {randomUUID} = require('crypto')

class Missing extends Error {}
class Wrong extends Error {}

const key = (value) => JSON.stringify(value)
const same = (a, b) => key(a) === key(b)
const order = (value) => value && value.$reql_type$ === 'TIME' ? value.epoch_time : value
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const time = (seconds) => ({$reql_type$: 'TIME', epoch_time: seconds, timezone: '+00:00'})

function field(of, name) {
  if (Array.isArray(of)) {
    return of.filter((one) => isObject(one) && name in one).map((one) => one[name])
  }
  if (!isObject(of) || !(name in of)) {
    throw new Missing(`No attribute \`${name}\` in object`)
  }
  return of[name]
}

/** What `changes` make of `row`: objects go into one another, literals and all else replace. */
function merged(row, changes) {
  if (changes && changes.isLiteral) {
    return changes.literal
  }
  if (!isObject(changes) || changes.$reql_type$) {
    return changes
  }
  const whole = isObject(row) && !row.$reql_type$ ? {...row} : {}
  for (const [name, value] of Object.entries(changes)) {
    whole[name] = merged(whole[name], value)
  }
  return whole
}

function plucked(row, wanted) {
  const found = {}
  for (const want of wanted.flat()) {
    if (typeof want === 'string') {
      if (want in row) {
        found[want] = row[want]
      }
    }
    else {
      for (const [name, below] of Object.entries(want)) {
        if (isObject(row[name])) {
          found[name] = merged(found[name], below === true ? row[name] : plucked(row[name], [below]))
        }
      }
    }
  }
  return found
}

function has(row, wanted) {
  if (typeof wanted === 'string') {
    return isObject(row) && row[wanted] !== undefined && row[wanted] !== null
  }
  return Object.entries(wanted).every(([name, below]) => has(row, name) && (below === true || has(row[name], below)))
}

class Table {
  constructor(primary) {
    Object.assign(this, {primary, rows: new Map(), indexes: {}, feeds: new Set()})
  }

  put(id, row) {
    const was = this.rows.get(id) || null
    if (row === null) {
      this.rows.delete(id)
    }
    else {
      this.rows.set(id, row)
    }
    this.feeds.forEach((feed) => feed(was, row))
    return {old_val: was, new_val: row}
  }
}

/** Rows that a query selected, and the table to write them into. */
class Selection {
  constructor(table, rows, single = false, pluck = null) {
    Object.assign(this, {table, rows, single, pluck})
  }
}

const plain = (value) => value instanceof Selection ? (value.single ? value.rows[0] ?? null : value.rows) : value

class Database {
  constructor() {
    this.tables = {}
  }

  table(name) {
    if (!this.tables[name]) {
      throw new Wrong(`Table \`${name}\` does not exist.`)
    }
    return this.tables[name]
  }

  /** The value of a term; `names` are the arguments of the functions around it. */
  value(term, names = {}) {
    if (Array.isArray(term)) {
      const [kind, args = [], options = {}] = term
      const does = TERMS[kind]
      if (!does) {
        throw new Wrong(`term ${kind} is none of those that STF asks`)
      }
      return does({db: this, args, options, names, of: (at) => plain(this.value(args[at], names))})
    }
    if (isObject(term)) {
      return Object.fromEntries(Object.entries(term).map(([name, value]) => [name, plain(this.value(value, names))]))
    }
    return term
  }

  /** What a function, or what stands in its place, makes of `row`. */
  call(func, row, names) {
    if (Array.isArray(func) && func[0] === 69) {
      const [[, params], body] = func[1]
      return plain(this.value(body, {...names, [params[0]]: row, row}))
    }
    return plain(this.value(func, {...names, row}))
  }

  rows(term, names) {
    const found = this.value(term, names)
    return found instanceof Table ? new Selection(found, [...found.rows.values()]) : found
  }
}

function write(t, change) {
  const from = t.db.rows(t.args[0], t.names)
  const told = {deleted: 0, errors: 0, inserted: 0, replaced: 0, skipped: 0, unchanged: 0}
  const changes = []
  if (from.single && from.rows.length === 0) {
    told.skipped = 1
  }
  for (const row of from.rows) {
    const made = change(row)
    if (made !== null && same(made, row)) {
      told.unchanged += 1
    }
    else {
      told[made === null ? 'deleted' : 'replaced'] += 1
      changes.push(from.table.put(key(row[from.table.primary]), made))
    }
  }
  return t.options.return_changes ? {...told, changes} : told
}

function insert(t) {
  const table = t.db.value(t.args[0])
  const told = {deleted: 0, errors: 0, inserted: 0, replaced: 0, skipped: 0, unchanged: 0}
  const changes = []
  for (const row of [t.of(1)].flat()) {
    row[table.primary] = row[table.primary] ?? randomUUID()
    const id = key(row[table.primary])
    if (table.rows.has(id)) {
      told.errors += 1
      told.first_error = `Duplicate primary key \`${table.primary}\``
    }
    else {
      told.inserted += 1
      changes.push(table.put(id, row))
    }
  }
  return t.options.return_changes ? {...told, changes} : told
}

function filtered(t) {
  const from = t.db.rows(t.args[0], t.names)
  const fits = (row) => {
    try {
      const said = t.db.call(t.args[1], row, t.names)
      return isObject(said) ? Object.entries(said).every(([name, value]) => same(row[name], value)) : said
    }
    catch (error) {
      if (error instanceof Missing) {
        return false
      }
      throw error
    }
  }
  return from instanceof Selection ? new Selection(from.table, from.rows.filter(fits)) : from.filter(fits)
}

/** All rows whose key, or whose value in an index, is one of those that are named. */
function all(t) {
  const table = t.db.value(t.args[0])
  const wanted = t.args.slice(1).map((_, at) => key(t.of(at + 1)))
  const index = t.options.index && table.indexes[t.options.index]
  const fits = (row) => {
    try {
      const value = index ? t.db.call(index.of, row, {}) : row[t.options.index || table.primary]
      return index && index.multi ? value.some((one) => wanted.includes(key(one))) : wanted.includes(key(value))
    }
    catch (error) {
      return false
    }
  }
  return new Selection(table, [...table.rows.values()].filter(fits))
}

function ordered(t) {
  const from = t.db.rows(t.args[0], t.names)
  const index = from.table.indexes[t.options.index]
  const of = (row) => order(index ? t.db.call(index.of, row, {}) : row[t.options.index])
  return new Selection(from.table, [...from.rows].sort((a, b) => of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0))
}

function pluck(t) {
  const from = t.db.rows(t.args[0], t.names)
  const wanted = t.args.slice(1).map((_, at) => t.of(at + 1))
  const rows = from instanceof Selection ? from.rows : [from].flat()
  return new Selection(from.table, rows.map((row) => plucked(row, wanted)), from.single, wanted)
}

function index(t) {
  const table = t.db.value(t.args[0])
  const name = t.of(1)
  table.indexes[name] = t.args[2] === undefined ? undefined : {of: t.args[2], multi: t.options.multi}
  return {created: 1}
}

function created(t) {
  const name = t.of(t.args.length - 1)
  t.db.tables[name] = new Table(t.options.primary_key || 'id')
  return {tables_created: 1}
}

const compare = (fits) => (t) => t.args.slice(1).every((_, at) => fits(order(t.of(at)), order(t.of(at + 1))))
const fold = (does) => (t) => t.args.map((_, at) => t.of(at)).reduce(does)
const sets = (does) => (t) => does(t.of(0), t.of(1))
const among = (list, one) => list.some((other) => same(other, one))

const TERMS = {
  2: (t) => t.args.map((_, at) => t.of(at)), // MAKE_ARRAY
  10: (t) => t.names[t.args[0]], // VAR
  13: (t) => t.names.row, // IMPLICIT_VAR
  14: (t) => t.args[0], // DB
  15: (t) => t.db.table(t.of(t.args.length - 1)), // TABLE
  16: (t) => { // GET
    const table = t.db.value(t.args[0])
    const row = table.rows.get(key(t.of(1)))
    return new Selection(table, row ? [row] : [], true)
  },
  17: compare((a, b) => same(a, b)),
  18: compare((a, b) => !same(a, b)),
  19: compare((a, b) => a < b),
  20: compare((a, b) => a <= b),
  21: compare((a, b) => a > b),
  22: compare((a, b) => a >= b),
  23: (t) => !t.of(0),
  24: fold((a, b) => a + b),
  25: fold((a, b) => a - b),
  29: (t) => [...t.of(0), t.of(1)], // APPEND
  31: (t) => field(t.of(0), t.of(1)), // GET_FIELD
  32: (t) => t.args.slice(1).every((_, at) => has(t.of(0), t.of(at + 1))), // HAS_FIELDS
  33: pluck,
  35: fold((a, b) => merged(a, b)), // MERGE
  39: filtered,
  41: ordered,
  43: (t) => t.db.rows(t.args[0], t.names).rows.length, // COUNT
  45: (t) => t.of(0)[t.of(1)], // NTH
  53: (t) => write(t, (row) => merged(row, t.db.call(t.args[1], row, t.names))), // UPDATE
  54: (t) => write(t, () => null), // DELETE
  56: insert,
  57: () => ({dbs_created: 1}),
  60: created,
  65: (t) => t.of(0) ? t.of(1) : t.of(2), // BRANCH
  66: (t) => t.args.some((_, at) => t.of(at)),
  67: (t) => t.args.every((_, at) => t.of(at)),
  75: index,
  78: all,
  86: (t) => t.of(0).length === 0, // IS_EMPTY
  88: sets((set, one) => among(set, one) ? set : [...set, one]), // SET_INSERT
  89: sets((a, b) => a.filter((one) => among(b, one))), // SET_INTERSECTION
  91: sets((a, b) => a.filter((one) => !among(b, one))), // SET_DIFFERENCE
  92: (t) => { // DEFAULT
    try {
      return t.of(0) ?? t.of(1)
    }
    catch (error) {
      if (error instanceof Missing) {
        return t.of(1)
      }
      throw error
    }
  },
  93: (t) => t.args.slice(1).every((_, at) => among(t.of(0), t.of(at + 1))), // CONTAINS
  99: (t) => time(Date.parse(t.of(0)) / 1000), // ISO8601
  101: (t) => time(t.of(0)), // EPOCH_TIME
  103: () => time(Date.now() / 1000), // NOW
  137: (t) => ({isLiteral: true, literal: t.args.length ? t.of(0) : null}),
  140: () => [], // INDEX_WAIT
  152: (t) => ({feed: t.db.rows(t.args[0], t.names)}), // CHANGES
  170: (t) => { // BRACKET
    const of = t.of(1)
    return typeof of === 'number' ? t.of(0)[of] : field(t.of(0), of)
  },
}

module.exports = {Database, Selection, Table, Missing, Wrong, plucked, plain, same}
