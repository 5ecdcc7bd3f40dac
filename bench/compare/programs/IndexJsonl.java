// Indexes a JSONL file with Lucene, and queries such an index.
//   build INPUT OUTPUT THREADS BUFFER_MEGABYTES CONTENTS    CONTENTS: frequencies, positions, text
//   probe INDEX WORD
//   version
// Each thread reads, parses and adds the records that begin in its ranges of the file. The index is not merged further
// after commit() and the merges that it waits for; it has a few segments.
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Version;

public class IndexJsonl {
  private static final long PIECE_BYTES = 2L << 20;
  private static final int STEP_BYTES = 1 << 18;

  private final String source;
  private final long sourceBytes;
  private final IndexWriter writer;
  private final FieldType textType;
  private final FieldType titleType;
  private final AtomicLong nextPiece = new AtomicLong();
  private final JsonFactory json = new JsonFactory();

  private IndexJsonl(String source, IndexWriter writer, String contents) throws IOException {
    this.source = source;
    this.writer = writer;
    try (RandomAccessFile file = new RandomAccessFile(source, "r")) {
      sourceBytes = file.length();
    }
    textType = indexed(contents, contents.equals("text"));
    titleType = indexed(contents, true);
  }

  private static FieldType indexed(String contents, boolean stored) {
    FieldType type = new FieldType();
    type.setIndexOptions(contents.equals("positions") ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS
                                                      : IndexOptions.DOCS_AND_FREQS);
    type.setTokenized(true);
    type.setStored(stored);
    type.freeze();
    return type;
  }

  // Takes ranges of the file and adds their records until there are no ranges left.
  private Void work() throws IOException {
    for (long piece = nextPiece.getAndIncrement(); piece * PIECE_BYTES < sourceBytes;
         piece = nextPiece.getAndIncrement()) {
      addPiece(piece * PIECE_BYTES, Math.min(sourceBytes, (piece + 1) * PIECE_BYTES));
    }
    return null;
  }

  // Adds the records that begin in [begin, end). The first one begins after the first newline at begin - 1 or later.
  private void addPiece(long begin, long end) throws IOException {
    long from = Math.max(0, begin - 1);
    byte[] bytes = readToNewline(from, end);
    int last = (int) (end - from);
    int at = begin == 0 ? 0 : newline(bytes, 0) + 1;
    while (at < last) {
      int stop = newline(bytes, at);
      if (stop > at) addRecord(bytes, at, stop - at);
      at = stop + 1;
    }
  }

  // Returns the bytes of [from, to) and those that follow, up to the next newline or the end of the file.
  private byte[] readToNewline(long from, long to) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(source, "r")) {
      file.seek(from);
      byte[] bytes = new byte[(int) (to - from)];
      file.readFully(bytes);
      int searched = bytes.length - 1;
      while (from + bytes.length < sourceBytes && newline(bytes, searched) == bytes.length) {
        searched = bytes.length;
        int more = (int) Math.min(STEP_BYTES, sourceBytes - from - bytes.length);
        bytes = Arrays.copyOf(bytes, bytes.length + more);
        file.readFully(bytes, searched, more);
      }
      return bytes;
    }
  }

  private static int newline(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] != '\n') ++at;
    return at;
  }

  private void addRecord(byte[] bytes, int begin, int count) throws IOException {
    Document document = new Document();
    try (JsonParser parser = json.createParser(bytes, begin, count)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.getCurrentName();
        parser.nextToken();
        switch (name) {
          case "id" -> document.add(new StringField("id", parser.getText(), Field.Store.YES));
          case "title" -> document.add(new Field("title", parser.getText(), titleType));
          case "text" -> document.add(new Field("text", parser.getText(), textType));
          default -> parser.skipChildren();
        }
      }
    }
    writer.addDocument(document);
  }

  private static void build(String[] words) throws Exception {
    int threads = Integer.parseInt(words[3]);
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer(CharArraySet.EMPTY_SET));
    config.setRAMBufferSizeMB(Integer.parseInt(words[4]));
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    try (FSDirectory directory = FSDirectory.open(Path.of(words[2]));
         IndexWriter writer = new IndexWriter(directory, config)) {
      IndexJsonl job = new IndexJsonl(words[1], writer, words[5]);
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      List<Callable<Void>> workers = new ArrayList<>();
      for (int i = 0; i < threads; ++i) workers.add(job::work);
      for (Future<Void> done : pool.invokeAll(workers)) done.get();
      pool.shutdown();
      writer.commit();
    }
  }

  private static void probe(String index, String word) throws IOException {
    try (FSDirectory directory = FSDirectory.open(Path.of(index));
         DirectoryReader reader = DirectoryReader.open(directory)) {
      BooleanQuery query = new BooleanQuery.Builder()
                               .add(new TermQuery(new Term("title", word)), BooleanClause.Occur.SHOULD)
                               .add(new TermQuery(new Term("text", word)), BooleanClause.Occur.SHOULD)
                               .build();
      System.out.printf("{\"documents\": %d, \"with_word\": %d, \"segments\": %d}%n", reader.numDocs(),
                        new IndexSearcher(reader).count(query), reader.leaves().size());
    }
  }

  public static void main(String[] words) throws Exception {
    switch (words.length == 0 ? "" : words[0]) {
      case "build" -> build(words);
      case "probe" -> probe(words[1], words[2]);
      case "version" -> System.out.println(Version.LATEST);
      default -> {
        System.err.println("IndexJsonl: expected build, probe or version");
        System.exit(2);
      }
    }
  }
}
