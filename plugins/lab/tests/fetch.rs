//! Trace files on their way over adb: megabytes of binary through `exec:`, shell packets and the file service.

use farmjank_lab::dial::LabDial;
use farmjank_lab::hand::Hand;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab::shell::Programs;
use farmjank_seams::host::{Address, Dial, Wire};
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const FILE: &str = "/data/misc/perfetto-traces/big";
const CONFIG: &str =
    "buffers { size_kb: 65536 } data_sources { config { name: \"android.surfaceflinger.frametimeline\" } }";

async fn service(dial: &LabDial, name: &str) -> Box<dyn Wire> {
    let mut wire = dial.dial(&Address::Lab(0)).await.unwrap_or_else(|fault| panic!("dial: {fault}"));
    for request in ["host:transport:one", name] {
        wire.write_all(format!("{:04x}{request}", request.len()).as_bytes()).await.expect("written");
        let mut word = [0; 4];
        wire.read_exact(&mut word).await.expect("four bytes");
        assert_eq!(&word, b"OKAY", "{request}");
    }
    wire
}

async fn exec(dial: &LabDial, command: &str) -> Vec<u8> {
    let (mut wire, mut bytes) = (service(dial, &format!("exec:{command}")).await, Vec::new());
    wire.read_to_end(&mut bytes).await.expect("read");
    bytes
}

/// Standard output and status of a shell with packets.
async fn shell(dial: &LabDial, command: &str) -> (Vec<u8>, u8) {
    let mut wire = service(dial, &format!("shell,v2,raw:{command}")).await;
    let mut out = Vec::new();
    loop {
        let mut header = [0; 5];
        wire.read_exact(&mut header).await.expect("a header");
        let mut bytes = vec![0; u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize];
        wire.read_exact(&mut bytes).await.expect("a packet");
        match header[0] {
            1 => out.extend(bytes),
            3 => return (out, bytes[0]),
            _ => {}
        }
    }
}

/// A file through `sync:`.
async fn pull(dial: &LabDial, path: &str) -> Vec<u8> {
    let mut wire = service(dial, "sync:").await;
    wire.write_all(b"RECV").await.expect("written");
    wire.write_all(&(path.len() as u32).to_le_bytes()).await.expect("written");
    wire.write_all(path.as_bytes()).await.expect("written");
    let mut whole = Vec::new();
    loop {
        let mut header = [0; 8];
        wire.read_exact(&mut header).await.expect("a header");
        if &header[..4] != b"DATA" {
            assert_eq!(&header[..4], b"DONE");
            return whole;
        }
        let mut bytes = vec![0; u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize];
        wire.read_exact(&mut bytes).await.expect("a chunk");
        whole.extend(bytes);
    }
}

#[test]
fn a_trace_of_megabytes_arrives_as_it_is() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let yaml = "name: fetch\nphones: [{ archetype: rog-phone-7, serial: one }]";
        let lab: Rc<LiveLab> = Lab::from_yaml(yaml).expect("it reads").build().expect("it runs");
        let dial = LabDial::new(lab.clone());
        let line = format!(
            "am start -W -d shop://feed > /dev/null; echo '{CONFIG}' | perfetto -c - --txt --background -o {FILE}; \
             i=0; while [ $i -lt 60 ]; do input swipe 500 1500 500 400 400; sleep 0.9; i=$((i + 1)); done; true"
        );
        let (pid, status) = shell(&dial, &line).await;
        assert_eq!(status, 0);
        let pid = String::from_utf8(pid).expect("a pid").trim().to_owned();
        let (_, status) = shell(&dial, &format!("kill -TERM {pid}; while kill -0 {pid} 2>/dev/null; do sleep 0.02; done")).await;
        assert_eq!(status, 0);
        let phone = lab.phone("one").expect("the phone").clone();
        let whole = Hand(phone).file(FILE).expect("a trace");
        assert!(whole.len() > 2_000_000, "{} bytes", whole.len());
        assert!(whole.windows(2).any(|pair| pair == b"\r\n") || whole.contains(&b'\n'), "it holds line ends");
        assert!(exec(&dial, &format!("cat {FILE}")).await == whole);
        assert!(shell(&dial, &format!("cat {FILE}")).await == (whole.clone(), 0));
        assert!(pull(&dial, FILE).await == whole);
        let piped = exec(&dial, &format!("echo '{CONFIG} duration_ms: 700' | perfetto -c - --txt -o -")).await;
        assert!(piped.len() > 100 && piped[0] == 0x0a, "a trace on standard output");
    });
}
