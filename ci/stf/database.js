// Answers RethinkDB's own driver in RethinkDB's place: its handshake and its queries, over tables in memory.
//
//     node database.js PORT [MS]     changes of rows are in force so many ms after they came (0)
'use strict'

const crypto = require('crypto')
const net = require('net')
const {Database, Selection, Missing, Wrong, plain, plucked, same} = require('./terms')

const [ATOM, SEQUENCE, PARTIAL, WAITED, SERVER] = [1, 2, 3, 4, 5]
const RUNTIME_ERROR = 18
const UPDATE = 53
const database = new Database()
const late = Number(process.argv[3] || 0)

/** Proves that it knows the password of `admin`, which is none, as SCRAM-SHA-256 wants it. */
class Handshake {
  constructor(say) {
    this.say = say
    say({success: true, min_protocol_version: 0, max_protocol_version: 0, server_version: '2.4.4'})
  }

  first(message) {
    this.bare = message.authentication.slice(3)
    const salt = crypto.randomBytes(16)
    this.salted = crypto.pbkdf2Sync('', salt, 1, 32, 'sha256')
    this.server = `${/r=[^,]*/.exec(this.bare)[0]}farm,s=${salt.toString('base64')},i=1`
    this.say({success: true, authentication: this.server})
  }

  last(message) {
    const told = [this.bare, this.server, message.authentication.replace(/,p=.*/, '')].join(',')
    const mac = (key, text) => crypto.createHmac('sha256', key).update(text).digest()
    const proof = mac(mac(this.salted, 'Server Key'), told).toString('base64')
    this.say({success: true, authentication: `v=${proof}`})
  }
}

class Client {
  constructor(socket) {
    Object.assign(this, {socket, held: Buffer.alloc(0), feeds: new Map(), steps: 0})
    this.handshake = new Handshake((message) => socket.write(`${JSON.stringify(message)}\0`))
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.read(bytes))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.feeds.forEach((feed) => feed.stop()))
  }

  read(bytes) {
    this.held = Buffer.concat([this.held, bytes])
    while (this.steps < 2 ? this.greeted() : this.asked()) {
      // One more message is there.
    }
  }

  greeted() {
    const from = this.steps === 0 ? 4 : 0
    const end = this.held.indexOf(0, from)
    if (end < 0) {
      return false
    }
    const message = JSON.parse(this.held.subarray(from, end))
    this.held = this.held.subarray(end + 1)
    this.steps === 0 ? this.handshake.first(message) : this.handshake.last(message)
    this.steps += 1
    return true
  }

  asked() {
    if (this.held.length < 12 || this.held.length < 12 + this.held.readUInt32LE(8)) {
      return false
    }
    const token = Buffer.from(this.held.subarray(0, 8))
    const end = 12 + this.held.readUInt32LE(8)
    const query = JSON.parse(this.held.subarray(12, end))
    this.held = this.held.subarray(end)
    if (late && query[0] === 1 && query[1][0] === UPDATE) {
      setTimeout(() => this.did(token, query), late)
    }
    else {
      this.did(token, query)
    }
    return true
  }

  did(token, query) {
    try {
      this.query(token, query)
    }
    catch (error) {
      const kind = error instanceof Missing ? 3100000 : 4100000
      if (!(error instanceof Missing || error instanceof Wrong)) {
        console.error(error.stack, JSON.stringify(query))
      }
      this.answer(token, {t: RUNTIME_ERROR, e: kind, r: [error.message], b: []})
    }
  }

  query(token, [kind, term]) {
    const feed = this.feeds.get(token.toString('hex'))
    if (kind === 2) {
      return feed.more()
    }
    if (kind === 3) {
      feed && feed.stop()
      return this.answer(token, {t: SEQUENCE, r: []})
    }
    if (kind !== 1) {
      return this.answer(token, kind === 4 ? {t: WAITED, r: []} : {t: SERVER, r: [{id: 'farm', name: 'farm'}]})
    }
    const value = database.value(term)
    if (value && value.feed) {
      return this.feed(token, value.feed)
    }
    const rows = value && value.rows instanceof Map ? [...value.rows.values()] : plain(value)
    const many = value instanceof Selection ? !value.single : Boolean(value && value.rows instanceof Map)
    return this.answer(token, many ? {t: SEQUENCE, r: rows} : {t: ATOM, r: [rows ?? null]})
  }

  /** Tells changes as they come, one answer for each time that the driver asks. */
  feed(token, selection) {
    const changes = []
    let waits = true
    const view = (row) => row && (selection.pluck ? plucked(row, selection.pluck) : row)
    const more = () => {
      waits = true
      if (changes.length) {
        waits = false
        this.answer(token, {t: PARTIAL, r: changes.splice(0), n: [1]})
      }
    }
    const told = (was, row) => {
      if (!same(view(was), view(row))) {
        changes.push({old_val: view(was), new_val: view(row)})
        waits && more()
      }
    }
    selection.table.feeds.add(told)
    this.feeds.set(token.toString('hex'), {more, stop: () => selection.table.feeds.delete(told)})
    waits = false
    this.answer(token, {t: PARTIAL, r: [], n: [1]})
  }

  answer(token, answer) {
    const body = Buffer.from(JSON.stringify(answer))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(body.length)
    this.socket.write(Buffer.concat([token, length, body]))
  }
}

net.createServer((socket) => new Client(socket)).listen(Number(process.argv[2]), '127.0.0.1')
